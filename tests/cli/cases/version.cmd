# The version is the header's; nothing else is printed.
want=$(sed -n 's/^#define PANEM_VERSION_STRING "\(.*\)"$/panem \1/p' "$SOURCE/include/panem.h")
[ "$(panem --version)" = "$want" ] && echo "the header's"

#!/usr/bin/env bash
# The package as an embedder sees it: installs the build into a scratch folder, builds examples/host.c
# by pkg-config, find_package and add_subdirectory, static and shared, and compares what they print.
# Usage: test_package.sh SOURCE BUILD CC CMAKE
set -euo pipefail
source=$1 build=$2 cc=$3 cmake=$4
export LC_ALL=C
unset CFLAGS LDFLAGS CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curves=$source/curves/ddr4-2666x6.csv
strict="-Wall -Wextra -Wpedantic -Werror"
log=$work/log

fail() {
    echo "FAILED: $*"
    [ -f "$log" ] && tail -n 30 "$log"
    exit 1
}
quiet() {
    "$@" >"$log" 2>&1 || fail "$*"
}
# same NAME PROGRAM: prints what the first one printed, bit for bit.
same() {
    "$2" "$curves" >"$work/$1.txt" 2>&1 || fail "$1: $(cat "$work/$1.txt")"
    cmp "$work/$1.txt" "$work/first.txt" || fail "$1 prints something else than the others"
    echo "ok: $1"
}
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)

# ---- an install holds what it should, and can be moved ----
quiet "$cmake" --install "$build" --prefix "$work/first place"
mv "$work/first place" "$work/moved"
prefix=$work/moved
cd "$prefix"
lib=$(dirname "$(find . -name libpanem.a)")
for file in include/panem.h "$lib/libpanem.so" "$lib/pkgconfig/panem.pc" bin/panem \
    "$lib/cmake/panem/panemConfig.cmake" "$lib/cmake/panem/panemConfigVersion.cmake" \
    share/panem/curves/ddr4-2666x6.csv share/doc/panem/LICENSE \
    share/man/man1/panem.1 share/man/man1/panem-traffic.1; do
    [ -s "$file" ] || fail "the install lacks $file"
done
bin/panem curves check share/panem/curves/ddr4-2666x6.csv >"$log" 2>&1 ||
    fail "the installed command"
if grep -rIl -e "$source" -e "$build" -e "first place" include "$lib/pkgconfig" "$lib/cmake" share; then
    fail "an installed file names a folder of the build"
fi
cd "$work"
lib=$prefix/${lib#./}
echo "ok: install"

# ---- libpanem needs libc and libm alone ----
if command -v readelf >/dev/null; then
    needed=$(readelf -d "$lib/libpanem.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
    case "$needed" in
    "libc.so.6 " | "libc.so.6 libm.so.6 ") echo "ok: needs $needed" ;;
    *) fail "libpanem.so needs $needed" ;;
    esac
fi

# ---- the header in three languages, alone ----
for standard in c11 c17; do
    echo '#include <panem.h>' >"$work/alone.c"
    # shellcheck disable=SC2086
    quiet "$cc" -std=$standard $strict -Wconversion -I"$prefix/include" -fsyntax-only "$work/alone.c"
done
if command -v g++ >/dev/null; then
    printf '#include <panem.h>\nint main() { return panem_version()[0] != PANEM_VERSION_STRING[0]; }\n' \
        >"$work/alone.cpp"
    # shellcheck disable=SC2086
    quiet g++ -std=c++17 $strict -I"$prefix/include" "$work/alone.cpp" "$lib/libpanem.a" -lm -o "$work/cpp"
    quiet "$work/cpp"
fi
echo "ok: header as C11, C17 and C++17"

# ---- pkg-config ----
export PKG_CONFIG_PATH=$lib/pkgconfig
pkg-config --atleast-version 0.1 panem || fail "pkg-config does not find the version"
flags() { pkg-config --cflags "$@" panem; }
# shellcheck disable=SC2046,SC2086
quiet "$cc" -std=c11 $strict "$source/examples/host.c" $(flags --libs) -Wl,-rpath,"$lib" -o host-pc-shared
"$work/host-pc-shared" "$curves" >first.txt || fail "host, pkg-config, shared"
[ "$(wc -l <first.txt)" = 11 ] || fail "the host prints $(wc -l <first.txt) lines, not 11"
# shellcheck disable=SC2046,SC2086
quiet "$cc" -std=c11 $strict -static "$source/examples/host.c" $(flags --static --libs) -o host-pc-static
same pkg-config-static "$work/host-pc-static"

# ---- find_package and add_subdirectory ----
mkdir consumer
cat >consumer/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(host C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PANEM_SOURCE)
  add_subdirectory(${PANEM_SOURCE} panem)
  foreach(leak PANEM_TOOLS PANEM_TESTS PANEM_BENCH PANEM_FUZZ PANEM_INSTALL)
    if(${leak})
      message(FATAL_ERROR "${leak} is on in somebody else's project")
    endif()
  endforeach()
else()
  find_package(panem 7.0 QUIET)
  if(panem_FOUND)
    message(FATAL_ERROR "another version was found")
  endif()
  find_package(panem 0.1 REQUIRED)
endif()
foreach(kind panem panem_shared)
  add_executable(host_${kind} ${HOST})
  target_link_libraries(host_${kind} PRIVATE panem::${kind})
endforeach()
END
consume() { # NAME OPTION...
    name=$1
    shift
    # No pkg-config: the library alone must not look for a package.
    quiet "$cmake" "${generator[@]}" -S consumer -B "$name" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_BUILD_TYPE=Release -DHOST="$source/examples/host.c" \
        -DPKG_CONFIG_EXECUTABLE=/nonexistent "$@"
    quiet "$cmake" --build "$name" --target host_panem host_panem_shared
    same "$name-static" "$work/$name/host_panem"
    same "$name-shared" "$work/$name/host_panem_shared"
}
consume find_package -DCMAKE_PREFIX_PATH="$prefix"
consume add_subdirectory -DPANEM_SOURCE="$source"
grep '"command":.*host\.c' add_subdirectory/compile_commands.json >host-commands ||
    fail "no command compiles the host"
if grep <host-commands -e -Wconversion -e _GNU_SOURCE -e ffp-contract; then
    fail "flags of ours reach the host's own files"
fi
echo "ok: no flag reaches the host"

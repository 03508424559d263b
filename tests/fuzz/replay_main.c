/* replay_main.c - runs a fuzz target over files, for builds without a fuzzer.
 * Usage: replay_<name> FILE|FOLDER... ; prints how many inputs ran; none is a failure. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    (void)fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    size_t got = data && size > 0 ? fread(data, 1, (size_t)size, f) : 0;
    (void)fclose(f);
    if (data)
        (void)LLVMFuzzerTestOneInput(data, got);
    free(data);
    return 1;
}

static unsigned run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    unsigned count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char name[4096];
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        count += run_path(name);
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    for (int i = 1; i < argc; i++)
        count += run_path(argv[i]);
    printf("%u inputs\n", count);
    return count ? 0 : 1;
}

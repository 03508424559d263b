# Ten verbs that forward to CMake (CMakePresets.json) and to the scripts beside it.
.PHONY: all check bench fuzz format tidy validate install clean ci help
all:      ; cmake --preset release && cmake --build --preset release
check:    ; ./check
bench: all ; build/release/bench/bench_access
fuzz:     ; tools/run-fuzz 60
format:   ; tools/format --fix
tidy:     ; tools/check-tidy
validate: all ; tools/validate
install: all ; cmake --install build/release
clean:    ; rm -rf build
ci:       ; bash .ci/run
help:     ; @sed -n 's/^\([a-z]*\):.*/make \1/p' Makefile

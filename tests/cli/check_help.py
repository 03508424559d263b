#!/usr/bin/env python3
"""Every command: --help, the manual page and the option parser agree.

Usage: check_help.py PANEM

From one option table come --help and the manual page; this checks that nothing gets lost on the
way, that every command answers an unknown option alike, and that man finds no fault in a page.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

FAULTS = []


def expect(truth, text):
    if not truth:
        FAULTS.append(text)


def run(*words, **more):
    environment = dict(os.environ, LC_ALL="C", ARGP_HELP_FMT="rmargin=79")
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment,
                          stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout, done.stderr


def options_of_help(text):
    """Long options with the name of their argument; short ones."""
    table = text.split("\n\n", 2)[1] if text.count("\n\n") else text
    longs = dict(re.findall(r"^  (?:-\S, |    )--([a-z0-9-]+)(?:=(\S+))?", table, re.M))
    shorts = set(re.findall(r"^  -(\S), --", table, re.M))
    return longs, shorts


def plain(roff):
    return re.sub(r"\\f[BIR]", "", roff).replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")


def options_of_man(text):
    section = plain(text).split(".SH OPTIONS\n", 1)[1].split(".SH ", 1)[0]
    heads = re.findall(r"^\.TP\n(.*)$", section, re.M)
    longs, shorts = {}, set()
    for head in heads:
        m = re.fullmatch(r"(?:-(\S), )?--([a-z0-9-]+)(?:=(.+))?", head)
        expect(m, f"odd option head in a manual page: {head}")
        if m:
            longs[m.group(2)] = m.group(3) or ""
            if m.group(1):
                shorts.add(m.group(1))
    return longs, shorts


def check_page(name, page):
    """man's own opinion, where it is installed."""
    expect(re.search(r"^\.SH EXAMPLES$", page, re.M) or name == "", f"{name}: no examples")
    if not shutil.which("man") or not shutil.which("groff"):
        return
    with tempfile.NamedTemporaryFile("w", suffix=".1") as f:
        f.write(page)
        f.flush()
        code, _, err = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", f.name)
        expect(code == 0 and err == "", f"man on the page of '{name}': {err}")


def check_command(panem, name, summary):
    words = name.split()
    code, text, err = run(panem, *words, "--help")
    expect(code == 0 and err == "", f"{name} --help: exit code {code}, {err}")
    expect(text.startswith(f"Usage: panem {name}"), f"{name} --help does not begin with its usage")
    expect(" ".join(summary.split()) in " ".join(text.split()), f"{name} --help lacks its summary")
    expect("Examples:" in text, f"{name} --help has no examples")
    code, page, err = run(panem, "--man", *words)
    expect(code == 0 and err == "", f"--man {name}: exit code {code}, {err}")
    check_page(name, page)
    by_help, by_man = options_of_help(text), options_of_man(page)
    expect(len(by_help[0]) >= 2, f"{name}: only {len(by_help[0])} options read from --help")
    expect(by_help == by_man, f"{name}: --help and the manual page differ:\n{by_help}\n{by_man}")
    for option in by_man[0]:
        expect(re.search(r"--" + option + r"\b", plain(page)), f"{name}: --{option}")
    code, out, err = run(panem, *words, "--no-such-option")
    expect(code == 2 and out == "" and err.count("\n") == 1 and "--no-such-option" in err,
           f"{name} --no-such-option: exit code {code}, {out}{err}")
    # One letter left out of a long name must lead back to it.
    for option in by_help[0]:
        slip = option[:2] + option[3:]
        if len(option) < 6 or any(o.startswith(slip) for o in by_help[0]):
            continue
        code, _, err = run(panem, *words, "--" + slip)
        expect(code == 2 and f"did you mean '--{option}'" in err, f"{name} --{slip}: {err}")
    for unwritable in ("--help", "--man"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            order = [panem, "--man", *words] if unwritable == "--man" else [panem, *words, "--help"]
            done = subprocess.run(order, stdout=full, stderr=subprocess.PIPE, check=False)
            expect(done.returncode == 1, f"{name} {unwritable} on a full disk: {done.returncode}")


def main():
    panem = os.path.abspath(sys.argv[1])
    code, text, _ = run(panem, "--help")
    expect(code == 0, f"panem --help: exit code {code}")
    commands = re.findall(r"^  ([a-z][a-z ]*?)  +(\S.*)$", text, re.M)
    expect(len(commands) >= 6, f"panem --help lists {len(commands)} commands")
    code, page, _ = run(panem, "--man")
    expect(code == 0, f"panem --man: exit code {code}")
    check_page("", page)
    pages = [p.replace("-", " ", 1) for p in re.findall(r"^\.BR panem\\-(\S+) \(1\)$", page, re.M)]
    expect(pages == [name for name, _ in commands],
           f"panem --help and panem(1) list different commands:\n{commands}\n{pages}")
    for name, summary in commands:
        check_command(panem, name, summary)
    for fault in FAULTS:
        print(fault)
    print(f"check_help: {len(commands)} commands, {len(FAULTS)} faults")
    return 1 if FAULTS else 0


sys.exit(main())

# slurm.sh - a Slurm cluster of this machine alone, on loopback, for tests. To be sourced.
#
# slurm_start FOLDER: munged, slurmctld and slurmd with everything they write below FOLDER; sets
# SLURM_CONF. Returns 1, with the reason on stdout, when that cannot be: not root, not installed,
# or daemons that do not come up. slurm_stop FOLDER ends what slurm_start started.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

slurm_start() {
    local d=$1 host word
    host=$(hostname -s)
    [ "$(id -u)" = 0 ] || { echo "a cluster of one's own needs root"; return 1; }
    for word in munged slurmctld slurmd sbatch squeue sinfo; do
        command -v $word >/dev/null || { echo "$word is not installed"; return 1; }
    done
    mkdir -p "$d/munge" "$d/state" "$d/spool"
    dd if=/dev/urandom of="$d/munge/key" bs=128 count=1 2>/dev/null
    chmod 400 "$d/munge/key"
    # Any free ports: several clusters may be tested on one machine.
    local ports
    ports=$(python3 -c '
import socket
s = [socket.socket() for _ in range(2)]
for one in s:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in s])')
    cat >"$d/slurm.conf" <<C
ClusterName=panem
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$d/munge/socket
SlurmUser=root
SlurmdUser=root
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmctldPidFile=$d/slurmctld.pid
SlurmdPidFile=$d/slurmd.pid
SlurmctldLogFile=$d/slurmctld.log
SlurmdLogFile=$d/slurmd.log
StateSaveLocation=$d/state
SlurmdSpoolDir=$d/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=512 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
PartitionName=other Nodes=$host MaxTime=INFINITE State=UP
C
    export SLURM_CONF=$d/slurm.conf
    # --force: the folder is closed to others, which munged takes for an oversight.
    munged --force --key-file="$d/munge/key" --socket="$d/munge/socket" --pid-file="$d/munge/pid" \
        --log-file="$d/munge/log" --seed-file="$d/munge/seed" >"$d/start.log" 2>&1 || { echo "munged does not start: $(tail -1 "$d/start.log")"; return 1; }
    { slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF"; } >>"$d/start.log" 2>&1 ||
        { echo "slurm does not start: $(tail -1 "$d/start.log")"; return 1; }
    for _ in $(seq 150); do
        [ "$(sinfo -h -p main -o %t 2>/dev/null)" = idle ] && return 0
        sleep 0.1
    done
    echo "the node does not come up: $(tail -1 "$d/slurmd.log")"
    return 1
}

slurm_stop() {
    local d=$1 file
    for file in slurmd.pid slurmctld.pid munge/pid; do
        [ -s "$d/$file" ] && kill "$(cat "$d/$file")" 2>/dev/null
    done
    # Their folder goes away next: they must be gone first.
    for _ in $(seq 100); do
        [ -e "$d/slurmd.pid" ] || [ -e "$d/slurmctld.pid" ] || [ -e "$d/munge/pid" ] || return 0
        sleep 0.1
    done
}

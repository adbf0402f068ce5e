#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Slurm of one node, this machine, for a trial: slurm-here.sh DIR COMMAND... starts it, runs the command, stops it. As root, without munge: it is
# no cluster for anybody else. DIR is new, its path absolute.
set -euo pipefail
dir=$1
shift
mkdir -p "$dir"/{state,spool}
host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cat >"$dir/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=here Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 &
controller=$!
slurmd -D -f "$SLURM_CONF" >/dev/null 2>&1 &
node=$!
trap 'kill $controller $node 2>/dev/null; wait' EXIT
for _ in $(seq 50); do # seconds/5 until the node takes jobs
    [[ "$(sinfo -h -o %t 2>/dev/null)" == idle* ]] && break
    sleep 0.2
done
[[ "$(sinfo -h -o %t 2>/dev/null)" == idle* ]] || { echo "slurm-here.sh: the node did not come up: $(tail -n 1 "$dir/slurmd.log" "$dir/slurmctld.log" 2>/dev/null | tr '\n' ' ')" >&2 && exit 7; }
"$@"

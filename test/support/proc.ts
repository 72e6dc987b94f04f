// What /proc of Linux says about processes.
import { existsSync, readFileSync } from 'node:fs';

/** Returns the children of a process, or none if it has ended. */
export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return children.split(' ').filter(Boolean).map(Number);
}

/** The milliseconds of CPU time in a tick of /proc on current Linux. */
const TICK_MS = 10;

/** Returns the CPU time of a process in milliseconds, with that of its children that have ended. */
export function cpuMs(pid: number): number {
  const stat = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  // The name of the program may contain spaces. utime, stime, cutime and cstime are the 14th to 17th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) * TICK_MS;
}

/** Returns the resident memory of a process in MiB: now, or at its peak. */
export function memoryMiB(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1024;
}

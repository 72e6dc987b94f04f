import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The cores on which processes run: all of them, or one. */
export type Cores = 'all' | 'one';

/** The cores of this process, as `taskset` lists them. Undefined if the machine lacks `taskset`. */
const given = findGiven();

/** Whether {@link useCores} works, which requires Linux. */
export const coresCanBeChosen = given !== undefined;

/** Sets the cores of this process, of the given processes, and of all their descendants. */
export function useCores(cores: Cores, pids: readonly number[]): void {
  if (given === undefined) return;
  const list = cores === 'all' ? given : given.replace(/\D.*/, '');
  for (const pid of [process.pid, ...pids.flatMap((pid) => [pid, ...childrenOf(pid)])]) {
    try {
      execFileSync('taskset', ['-a', '-c', '-p', list, String(pid)], { stdio: 'ignore' });
    } catch (error) {
      // The process of a PostgreSQL connection may have ended.
      if (existsSync(`/proc/${pid}`)) throw error;
    }
  }
}

function findGiven(): string | undefined {
  try {
    const said = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    return said.split(': ').at(-1)?.trim();
  } catch {
    return undefined;
  }
}

/** Returns the ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

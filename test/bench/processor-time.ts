/** Processor time and memory of other processes, as Linux counts them. */
import { readFileSync, readdirSync } from 'node:fs'

/** Of `/proc/<pid>/stat`, after the name: the parent, and the ticks of the process and of its ended children. */
const readStat = (pid: number | string) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
  } catch {
    // The process has ended since its folder was listed.
    return undefined
  }
}
/** Linux counts in hundredths of a second, whatever the machine. */
const tickMs = 10

/** Milliseconds of these processes and of all their children, also of those that have ended. */
export const processorMs = (pids: readonly number[]): number => {
  const wanted = new Set(pids)
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(pid)
    if (stat && (wanted.has(Number(pid)) || wanted.has(stat.parent))) ticks += stat.own + stat.ended
  }
  return ticks * tickMs
}

/** Resident memory of a process, in MB. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1e3

/** The limit that a container puts on a process's memory, by control groups of Linux, version 1 or 2. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'
const versions = [
  {
    parent: join(root, 'memory'),
    limit: 'memory.limit_in_bytes',
    most: 'memory.max_usage_in_bytes',
    ends: 'memory.oom_control',
  },
  { parent: root, limit: 'memory.max', most: 'memory.peak', ends: 'memory.events' },
]

export type MemoryLimit = {
  /** The program and its arguments, started within the limit. */
  command(program: string, programArguments: string[]): [string, string[]]
  /** The most that its processes have used, in bytes, with the cached pages of their files. */
  most(): number
  /** How many of its processes the kernel has ended because they wanted more. */
  kills(): number
  /** After its processes have ended. */
  close(): void
}

let count = 0

/** Undefined where this process may not limit others; it says so. */
export const openMemoryLimit = (bytes: number): MemoryLimit | undefined => {
  const version = versions.find(({ parent, limit }) => existsSync(join(parent, limit)) || parent === root)!
  const folder = join(version.parent, `toolyard-${process.pid}-${(count += 1)}`)
  try {
    accessSync(version.parent, constants.W_OK)
    mkdirSync(folder)
    writeFileSync(join(folder, version.limit), String(bytes))
  } catch (error) {
    if (existsSync(folder)) rmdirSync(folder)
    console.warn(`Memory is not limited: ${(error as Error).message}`)
    return undefined
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return {
    // The shell joins the group before it becomes the program, so that all of the program's memory counts.
    command: (program, programArguments) => [
      'sh',
      ['-c', `echo $$ > '${join(folder, 'cgroup.procs')}' && exec "$0" "$@"`, program, ...programArguments],
    ],
    most: () => Number(read(version.most)),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(read(version.ends))?.[1] ?? 0),
    close: () => rmdirSync(folder),
  }
}

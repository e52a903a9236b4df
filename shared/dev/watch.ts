import { readdirSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Editors write a file in several steps, so changes are collected for this time. */
const settleMs = 100

const foldersIn = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .flatMap(({ name }) => foldersIn(join(folder, name))),
]

/**
 * Calls `onChange`, one call at a time, after code in the folder or the wire file has changed. The returned function
 * stops watching and waits for a running call. Folders are watched one by one: on Linux, Node's recursive watch loses a
 * file once an editor has replaced it.
 */
export const watchFiles = (
  folder: string,
  wireFile: string | undefined,
  onChange: () => Promise<void>,
): (() => Promise<void>) => {
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void (working = working.then(onChange)), settleMs)
  }
  const isCode = (name: string) => /\.[cm]?[jt]s$/.test(name)
  const add = (path: string, isWanted: (name: string) => boolean) => {
    const watcher = watch(path, (_, name) => {
      sync()
      if (name !== null && isWanted(name)) changed()
    })
    // The watched folder was removed.
    watcher.on('error', () => watcher.close())
    return watcher
  }
  const sync = () => {
    const there = foldersIn(folder)
    for (const [path, watcher] of watchers) {
      if (there.includes(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    for (const path of there) if (!watchers.has(path)) watchers.set(path, add(path, isCode))
  }
  sync()
  // Watches the file's folder, because many editors replace a file instead of writing into it.
  const ofWire = wireFile === undefined ? undefined : add(dirname(wireFile), (name) => name === basename(wireFile))
  return async () => {
    clearTimeout(timer)
    for (const watcher of [...watchers.values(), ...(ofWire ? [ofWire] : [])]) watcher.close()
    await working
  }
}

/** The sizes of the console's scripts and styles as a browser receives them. */
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { buildConsole } from '../../scripts/console.ts'

type Built = Awaited<ReturnType<typeof buildConsole>>

const kB = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length / 1000

/** KB: what every page loads, with all that its script imports at once, and all there is. */
export const consoleSizes = ({ files, metafile }: Built) => {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const first = new Set<string>()
  const follow = (name: string) => {
    if (first.has(name)) return
    first.add(name)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement') follow(basename(path))
  }
  for (const name of outputs.keys()) if (name.startsWith('main-')) follow(name)
  const sent = [...files].filter(([name]) => /\.(js|css)$/.test(name))
  const sizeOf = (names: (name: string) => boolean) =>
    sent.reduce((sum, [name, bytes]) => sum + (names(name) ? kB(bytes) : 0), 0)
  return {
    everyPage: sizeOf((name) => first.has(name)),
    // The values of the design are part of the style; the file of their own is for other pages.
    all: sizeOf((name) => name !== 'tokens.css'),
  }
}

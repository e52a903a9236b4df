#!/usr/bin/env node
// Plain JavaScript that any Node can read: an older one cannot even parse what comes after, so the check must stand before it.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `toolyard needs Node 24.12 or newer, this is v${process.versions.node}; run it with npm start / npx toolyard after npm ci (without --ignore-scripts)`,
  )
  process.exitCode = 1
} else if (process.argv[2] !== '--check-node') {
  void import('node:module').then(({ enableCompileCache }) => {
    // Halves the time of every start after the first. Beside the code, where only its owner can write.
    enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/toolyard`)
    return import('./main.ts')
  })
}

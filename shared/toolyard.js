#!/usr/bin/env node
// Plain JavaScript that any Node can parse: an older one cannot even parse the rest, so the check must come first.
void import('fs').then(({ existsSync }) => {
  const source = new URL('./main.ts', import.meta.url)
  // A checkout runs from source; an installed package holds everything built into one file.
  const isCheckout = existsSync(source)
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 24 || (major === 24 && minor < 12)) {
    const remedy = isCheckout
      ? 'run it with npm start / npx toolyard after npm ci (without --ignore-scripts)'
      : 'put a newer one first on the PATH, or bring one along: npx -y -p node@24 -p toolyard toolyard …'
    console.error(`toolyard needs Node 24.12 or newer, this is v${process.versions.node}; ${remedy}`)
    process.exitCode = 1
    return undefined
  }
  // It names a newer Node as its own, but ends where a server gives memory back, and no suite runs under it.
  if (process.versions.bun) {
    console.error(
      `toolyard needs Node 24.12 or newer, this is Bun ${process.versions.bun}; run it with node. In Bun, import the library.`,
    )
    process.exitCode = 1
    return undefined
  }
  if (process.argv[2] === '--check-node') return undefined
  const [, , verb, what] = process.argv
  const startAgain = (flags, env) => {
    try {
      process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], env)
    } catch {
      // Where a process may not be replaced, for example under --permission, it takes more memory.
    }
  }
  const isTransfer = verb === 'export' || verb === 'import'
  const isJob = verb === 'bulk' && what === 'enrich'
  // They pass everything through memory, and a smaller space for short-lived objects halves what they take; a job over
  // a file needs 30 MB of objects, however long the file is. A process cannot be replaced on every platform.
  if ((isTransfer || isJob) && process.execve && process.execArgv.length === 0) {
    const flags = [
      '--max-semi-space-size=1',
      ...(isJob
        ? ['--max-old-space-size=44', '--external-memory-accounted-in-global-limit', '--optimize-for-size']
        : []),
    ]
    const env = isJob
      ? { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', UV_THREADPOOL_SIZE: '2', ...process.env }
      : process.env
    startAgain(flags, env)
  }
  // What a burst of work has freed goes back to the system: glibc keeps twice the largest piece ever freed, which after
  // long lists is 50 MB and more, and what each thread has freed in an arena of its own, another 20 MB. It reads these
  // settings only when a process starts.
  const trim = 'MALLOC_TRIM_THRESHOLD_'
  // A parent that talks to it by IPC would lose it.
  const isAlone = process.execArgv.length === 0 && !process.connected
  if (verb === 'serve' && process.platform === 'linux' && isAlone && !(trim in process.env))
    startAgain([], { MALLOC_ARENA_MAX: '1', ...process.env, [trim]: '131072' })
  // The functions of a start run a few times. The compilers that make functions quick would keep 13 MB of themselves
  // and of their code in an idle server. Once it is up it turns them on (releaseStartMemory); a start that takes longer
  // works through much data, and gets them too.
  if (verb === 'serve') {
    const { setFlagsFromString } = process.getBuiltinModule('v8')
    setFlagsFromString('--no-opt --no-maglev --no-sparkplug')
    setTimeout(() => setFlagsFromString('--opt --maglev --sparkplug'), 2000).unref()
  }
  return import('module').then(({ enableCompileCache }) => {
    // Halves the time of every start after the first. The cache is beside the code, where only its owner can write.
    enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/toolyard`)
    return import(isCheckout ? source.href : new URL('../dist/toolyard.js', import.meta.url).href)
  })
})

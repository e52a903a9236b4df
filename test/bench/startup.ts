/**
 * From the start of a process to the printed address, on an empty directory, and its memory when idle: `node
 * test/bench/startup.ts`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackage } from './installed.ts'
import { residentMb } from './processor-time.ts'
import { median, report, row } from './support.ts'

const rounds = 7
const idleMs = 2_000
const root = fileURLToPath(new URL('../../', import.meta.url))

const installed = await installPackage()
const bare = "require('fastify')().listen({ port: 0 }).then(() => console.log('is running'))"
const commands = {
  npm: ['npm', 'start'],
  checkout: [process.execPath, join(root, 'shared/toolyard.js'), 'serve', '--sandbox'],
  package: [process.execPath, installed.entry, 'serve'],
  // The framework alone, which answers nothing.
  bare: [process.execPath, '-e', bare],
}
type Name = keyof typeof commands

const start = async (name: Name) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  const began = performance.now()
  const [command, ...args] = commands[name] as [string, ...string[]]
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, TOOLYARD_DATA: folder, TOOLYARD_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((done) => child.once('close', done))
  let printed = ''
  await new Promise<void>((done, failed) => {
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString()
      if (printed.includes('is running')) done()
    })
    void ended.then(() => failed(new Error(`${name} ended before it was up: ${printed}`)))
  })
  const ms = performance.now() - began
  // Of npm only the time counts: its own process is not the server.
  if (name !== 'npm') await new Promise((done) => setTimeout(done, idleMs))
  const mb = residentMb(child.pid!)
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
  return { ms, mb }
}

const names = Object.keys(commands) as Name[]
// The first start of each fills the compile cache.
for (const name of names) await start(name)
const taken = Object.fromEntries(names.map((name) => [name, [] as { ms: number; mb: number }[]])) as Record<
  Name,
  { ms: number; mb: number }[]
>
for (let round = 0; round < rounds; round += 1) for (const name of names) taken[name].push(await start(name))
const ms = (name: Name) => median(taken[name].map((measurement) => measurement.ms))
const mb = (name: Name) => median(taken[name].map((measurement) => measurement.mb))
const against = (name: Name) => median(taken[name].map((measurement, at) => measurement.ms / taken.bare[at]!.ms))
installed.remove()

report('startup', [
  row('npm start on an empty directory, until it is up', ms('npm'), 'ms', '<= 1000'),
  row('toolyard serve of the package on an empty directory, until it is up', ms('package'), 'ms', '<= 400'),
  row('idle memory of toolyard serve of the package', mb('package'), 'MB', '<= 90'),
  row('npm start, against a bare Fastify server', against('npm'), 'x'),
  row('toolyard serve of the package, against a bare Fastify server', against('package'), 'x'),
  row('serve --sandbox of a checkout, until it is up', ms('checkout'), 'ms'),
  row('idle memory of serve --sandbox of a checkout', mb('checkout'), 'MB'),
  row('a bare Fastify server, until it is up', ms('bare'), 'ms'),
  row('idle memory of a bare Fastify server', mb('bare'), 'MB'),
])

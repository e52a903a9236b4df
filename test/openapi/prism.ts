import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

const program = fileURLToPath(new URL('../tools/node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url))
export const hasPrism = existsSync(program)

/**
 * Prism between a client and a server: it passes everything on, and says in a header of the answer what broke the
 * document.
 */
export const startPrism = async (document: object, upstream: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-prism-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document))
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [program, 'proxy', file, upstream, '-p', String(port), '-h', '127.0.0.1', '--verboseLevel', 'error'],
    {
      env: { ...process.env, SCARF_ANALYTICS: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said = `${said}${part}`.slice(-20_000)))
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const origin = `http://127.0.0.1:${port}`
  for (let turn = 0; ; turn += 1) {
    const up = await fetch(`${origin}/livez`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (up) break
    if (turn > 300 || child.exitCode !== null) throw new Error(`prism did not come up:\n${said}`)
    await new Promise((done) => setTimeout(done, 100))
  }
  return {
    origin,
    said: () => said,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Processes of `work-client.js`, and the providers that they ask. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { delivery, openSockets } from './deliveries.ts'
import { startMock } from './support.ts'

/** `stored`, `keyed`: Create Card with the embedded store, and with an idempotency key as well. */
export type Work = 'create' | 'stored' | 'keyed' | '100' | '1000' | 'delivery'
type Provider = { origin: string; secrets: { key: string; token: string }; appSecret?: string; board?: string }
type Ask = { do: 'run'; count: number } | { do: 'drive'; ms: number; width: number } | { do: 'cpu' | 'mark' | 'end' }

/** A former version may never answer what it does not know; under valgrind, on a busy machine, answers take minutes. */
const silentMs = 300_000

const secrets = {
  key: 'b41f7e0c95d2483aa6f1c0e7d39b5528',
  token: 'ATTA9c1de27ab04f8835e6d2c7719fb3a06d4e85c12f7b90ad36e15f84c2b7d9e0a3fC0FFEE1',
}

/** A mock for steps, and a board that lets itself be watched for deliveries. */
export const openProviders = async () => {
  const mock = await startMock('./plain-mock.ts')
  const sandbox = await startBoardSandbox()
  const { key, token, appSecret } = sandbox.credentials
  const watched = {
    origin: sandbox.origin,
    secrets: { key, token },
    appSecret,
    board: sandbox.control.overview()[0]!.id,
  }
  return {
    of: (work: Work): Provider => (work === 'delivery' ? watched : { origin: mock.origin, secrets }),
    async close() {
      mock.stop()
      await sandbox.close()
    },
  }
}

/**
 * Starts a process; `before` is what it is run with, such as valgrind.
 * @param dist absolute path of the build
 */
export const startWork = async (
  dist: string,
  work: Work,
  provider: Provider,
  before: string[] = [process.execPath],
) => {
  const [program, ...programArguments] = before as [string, ...string[]]
  const script = fileURLToPath(new URL('./work-client.js', import.meta.url))
  const child = spawn(program, [...programArguments, script, dist, work, JSON.stringify(provider)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr!.on('data', (text: Buffer) => (errors += text.toString()))
  const ended = once(child, 'close')
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const silence = setTimeout(() => child.kill('SIGKILL'), silentMs)
      const failed = () => reject(new Error(`A process for "${work}" of ${dist} ended: ${errors.trim().slice(-500)}`))
      child.once('close', failed)
      child.once('message', (message) => {
        clearTimeout(silence)
        child.off('close', failed)
        resolve((message as { answer: unknown }).answer)
      })
    })
  const ask = async (what: Ask) => {
    const answer = next()
    child.send(what)
    return answer
  }
  const { port, callbackUrl } = (await next()) as { port: number; callbackUrl: string }
  const requests = (count: number) =>
    Array.from({ length: count }, () => delivery(provider.board!, callbackUrl, provider.appSecret!).request)
  return {
    /** Does so many, one after the other. */
    async run(count: number): Promise<void> {
      if (work !== 'delivery') return void (await ask({ do: 'run', count }))
      const sockets = await openSockets(port, 1)
      await sockets.sendAll(requests(count))
      sockets.close()
    },
    /** µs of CPU for each of what is done in this time. */
    async drive(ms: number): Promise<number> {
      if (work !== 'delivery') return (await ask({ do: 'drive', ms, width: /^\d/.test(work) ? 1 : 32 })) as number
      const before = (await ask({ do: 'cpu' })) as number
      const sockets = await openSockets(port, 32)
      let count = 0
      for (const began = performance.now(); performance.now() - began < ms; count += 320)
        await sockets.sendAll(requests(320))
      sockets.close()
      return (((await ask({ do: 'cpu' })) as number) - before) / count
    },
    mark: () => ask({ do: 'mark' }),
    async end(): Promise<void> {
      child.send({ do: 'end' } satisfies Ask)
      await ended
    },
  }
}

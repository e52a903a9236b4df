import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

const bin = fileURLToPath(new URL('n8n/node_modules/n8n/bin/n8n', import.meta.url))
const built = fileURLToPath(new URL('n8n/node_modules/sqlite3/build/Release/node_sqlite3.node', import.meta.url))

/** Without an installation the suite fails: it never passes without having tried anything. */
export const requireN8n = () => {
  if (existsSync(bin) && existsSync(built)) return
  throw new Error(
    'n8n is not installed. Run: npm install --no-save --prefix test/platforms/n8n --ignore-scripts && npm rebuild --prefix test/platforms/n8n sqlite3',
  )
}

/** Nothing goes out, nothing asks a question, and only loopback is listened on. */
const environment = (folder: string, port: number, brokerPort: number) => ({
  PATH: process.env['PATH']!,
  HOME: folder,
  NO_COLOR: '1',
  N8N_USER_FOLDER: folder,
  N8N_PORT: String(port),
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_HOST: '127.0.0.1',
  N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
  N8N_ENCRYPTION_KEY: 'key-of-the-suite',
  N8N_SECURE_COOKIE: 'false',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_RUNNERS_ENABLED: 'false',
  N8N_RUNNERS_BROKER_PORT: String(brokerPort),
  N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
  EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
})

type Ask = { method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'; body?: unknown }
export type N8n = {
  origin: string
  folder: string
  /** `n8n import:workflow` and so on, while the server is stopped. */
  command(...args: string[]): Promise<string>
  start(): Promise<void>
  /** As a power cut does with SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** n8n's own REST, as its editor uses it; gives `data` of the answer. */
  callRest(path: string, ask?: Ask): Promise<any>
  /** Makes the owner at first, and logs in. */
  login(): Promise<void>
  cookie(): string
  log(): string
}

export const owner = { email: 'olive@example.com', firstName: 'Olive', lastName: 'Quill', password: 'Correct-Horse-9' }

/** An n8n in a folder of its own. */
export const createN8n = async (folder: string): Promise<N8n> => {
  requireN8n()
  mkdirSync(folder, { recursive: true })
  const [port, brokerPort] = [await freePort(), await freePort()]
  const origin = `http://127.0.0.1:${port}`
  const env = environment(folder, port, brokerPort)
  let child: ChildProcess | undefined
  let log = ''
  let cookie = ''

  const run = (args: string[]) => {
    const started = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (log += text))
    return started
  }
  const ended = (process_: ChildProcess) => new Promise<number | null>((done) => process_.once('close', done))
  const callRest = async (path: string, { method, body }: Ask = {}) => {
    const reply = await fetch(`${origin}/rest${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { cookie, 'content-type': 'application/json', 'browser-id': 'suite' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const set = reply.headers.getSetCookie().map((header) => header.split(';', 1)[0]!)
    if (set.length > 0) cookie = set.join('; ')
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method ?? ''} ${path}: ${reply.status} ${text.slice(0, 2000)}`)
    return (JSON.parse(text) as { data?: unknown }).data
  }
  const isReady = () =>
    fetch(`${origin}/healthz/readiness`).then(
      (reply) => reply.ok,
      () => false,
    )

  return {
    origin,
    folder,
    async command(...args) {
      const before = log.length
      const code = await ended(run(args))
      if (code !== 0) throw new Error(`n8n ${args.join(' ')} ended with ${code}:\n${log.slice(before)}`)
      return log.slice(before)
    },
    async start() {
      child = run(['start'])
      const gone = ended(child)
      for (;;) {
        if (await isReady()) return
        const code = await Promise.race([gone, new Promise<'waiting'>((done) => setTimeout(done, 250, 'waiting'))])
        if (code !== 'waiting') throw new Error(`n8n ended with ${code}:\n${log.slice(-3000)}`)
      }
    },
    async stop(signal = 'SIGTERM') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = ended(child)
      child.kill(signal)
      await gone
    },
    callRest,
    async login() {
      const { userManagement } = (await callRest('/settings')) as { userManagement: { showSetupOnFirstLoad: boolean } }
      if (userManagement.showSetupOnFirstLoad) await callRest('/owner/setup', { body: owner })
      else await callRest('/login', { body: { emailOrLdapLoginId: owner.email, password: owner.password } })
    },
    cookie: () => cookie,
    log: () => log,
  }
}

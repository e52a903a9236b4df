/**
 * The whole test suite as a search for leaks (`npm run test:leaks`): whatever a pack seals is a secret, and so is each
 * token it makes. Log lines, answers of our HTTP face and data directories are kept while a test file runs, and
 * searched when it has ended.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { sweep } from './sweep.ts'
import type { Evidence } from './sweep.ts'

// Test files of a process that share its modules share these too: modules are mocked when they are first loaded, so
// that each file finds what the first one made. A file ends with nothing in them.
type Tap = { secrets: Map<string, string>; kept: Map<string, Evidence>; wrappers: WeakSet<object> }
const shared = globalThis as { toolyardTap?: Tap }
const isFirst = shared.toolyardTap === undefined
const { secrets, kept, wrappers } = (shared.toolyardTap ??= {
  secrets: new Map(),
  kept: new Map(),
  wrappers: new WeakSet(),
})
const wrapper = <T extends object>(made: T): T => {
  wrappers.add(made)
  return made
}
const keepSecret = (name: string, text: unknown) => {
  if (typeof text === 'string' && text.length >= 12 && ![...secrets.values()].includes(text))
    secrets.set(`${name} ${secrets.size}`, text)
}
/** An account's address opens nothing by itself; where a profile allows one only, refusals name it. */
const isOrigin = (text: unknown) => typeof text === 'string' && /^https?:\/\/[^/?#]+$/.test(text)
/** Each request has an id of its own, in its answer and in the log. */
const requestIds = /("(?:x-request-id|requestId|request)":")[^"]*/g
/** The same answer comes often; times and ids differ, and are no secrets. */
const keep = (place: string, name: string, bytes: Buffer) => {
  const key = place + bytes.toString('latin1').replace(requestIds, '$1').replace(/\d+/g, '0')
  if (!kept.has(key)) kept.set(key, { place, name, bytes })
}

vi.mock('../../shared/store/index.ts', async (original) => {
  const store = await original<typeof import('../../shared/store/index.ts')>()
  return {
    ...store,
    createVault: wrapper((options: Parameters<typeof store.createVault>[0]) => {
      const vault = store.createVault(options)
      const { seal } = vault
      vault.seal = (scope, plain) => {
        // The key of an app names it in public; the token beside it is what is secret. An outcome is what its caller
        // was answered.
        // What things are called, and what runs took and returned, is what callers are shown, as approvers are shown what
        // is held, and events have the same names; canaries of their own search for these.
        if (!/^(name|run_contents|approval):/.test(scope.owner))
          for (const [field, text] of Object.entries(plain))
            if (field !== 'key' && field !== 'outcome' && !isOrigin(text)) keepSecret(field, text)
        return seal(scope, plain)
      }
      return vault
    }),
  }
})
vi.mock('../../shared/pack.ts', async (original) => {
  const module = await original<typeof import('../../shared/pack.ts')>()
  return {
    ...module,
    createPack: wrapper(async (options: Parameters<typeof module.createPack>[0] = {}) => {
      const { log } = options
      const pack = await module.createPack({
        ...options,
        log(level, event, fields) {
          keep('logs', event, Buffer.from(JSON.stringify({ event, ...fields })))
          log?.(level, event, fields)
        },
      })
      const { createCode, signIn } = pack.sessions
      pack.sessions.createCode = async (caller) => {
        const made = await createCode(caller)
        keepSecret('sign-in code', made.code)
        return made
      }
      pack.sessions.signIn = async (credential) => {
        const made = await signIn(credential)
        keepSecret('session', made.secret)
        return made
      }
      const { create } = pack.tokens
      pack.tokens.create = async (...createArguments) => {
        const made = await create(...createArguments)
        keepSecret('bearer token', made.text)
        return made
      }
      return pack
    }),
  }
})

const bodies = new WeakMap<ServerResponse, Buffer[]>()
const note = (response: ServerResponse, chunk: unknown) => {
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
  bodies.set(response, [...(bodies.get(response) ?? []), Buffer.from(chunk as string)])
}
/** Our face puts these on every answer, and the sandbox does not on those of its own. */
const isOurs = (response: ServerResponse) =>
  response.getHeader('x-content-type-options') === 'nosniff' &&
  !String(response.getHeader('content-security-policy')).includes('sha256-')
/** Once in a process. */
const tapAnswers = () => {
  const { write, end } = ServerResponse.prototype
  ServerResponse.prototype.write = function (this: ServerResponse, ...writeArguments: any[]) {
    note(this, writeArguments[0])
    return (write as any).apply(this, writeArguments)
  } as typeof write
  ServerResponse.prototype.end = function (this: ServerResponse, ...endArguments: any[]) {
    note(this, endArguments[0])
    if (isOurs(this)) {
      const { method, url } = this.req ?? {}
      const body = Buffer.concat(bodies.get(this) ?? []).toString('utf8')
      // A token, or the secret of an agent or of notifications, is given out once: in the answer that makes it or
      // exchanges it.
      const isMaking =
        this.statusCode === 201 ||
        (this.statusCode === 200 && method !== 'GET' && /\/(rotate-secret|notifications)(\?|$)/.test(url ?? ''))
      const once = isMaking
        ? body.replace(/"(text|secret)":"(ty_|whsec_)[^"]*"/g, '"…":"…"').replace(/#code=tyc_[^"]*"/g, '"')
        : body
      // A session is given out once too: in its cookie.
      const headers = isMaking ? { ...this.getHeaders(), 'set-cookie': '' } : this.getHeaders()
      keep(
        'http',
        `${method} ${url?.split('?')[0]} ${this.statusCode}`,
        Buffer.from(`${JSON.stringify(headers)}\n${once}`),
      )
    }
    return (end as any).apply(this, endArguments)
  } as typeof end
}
if (isFirst) tapAnswers()

const lookAt = (folder: string) => {
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name)
      if (entry.isFile() && /\.db(-wal)?$/.test(entry.name) && statSync(file).size < 4_000_000)
        keep('files', entry.name, readFileSync(file))
    }
  } catch {
    // It is gone already.
  }
}
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const rm: typeof fs.rm = (path, options) => {
    if (/toolyard-[a-z]+-/.test(String(path))) lookAt(String(path))
    return fs.rm(path, options)
  }
  return { ...fs, rm, default: { ...fs, rm } }
})

// Without the tap a file would leave nothing to search, and pass.
beforeAll(async () => {
  const [{ createVault }, { createPack }] = await Promise.all([
    import('../../shared/store/index.ts'),
    import('../../shared/pack.ts'),
  ])
  expect([wrappers.has(createVault), wrappers.has(createPack)]).toEqual([true, true])
})

afterAll(() => {
  const hits = sweep([...kept.values()], secrets)
  secrets.clear()
  kept.clear()
  expect(hits.map(({ place, name, secret, form }) => `${place} · ${name} · ${secret} · ${form}`).slice(0, 20)).toEqual(
    [],
  )
})

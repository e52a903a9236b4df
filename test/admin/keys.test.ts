import { createCipheriv, randomBytes } from 'node:crypto'
import { readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { checkSecrets as checkStart } from '../../shared/faces/cli/start-checks.ts'
import type { Configuration } from '../../shared/settings.ts'
import type { Connection, Store } from '../../shared/runtime/ports/index.ts'
import {
  checkBackup,
  createMemoryStore,
  keyIdOf,
  openSqliteStore,
  readKeyring,
  restoreBackup,
  wrappedKeyring,
} from '../../shared/store/index.ts'
import { testFolder } from '../store/folder.ts'
import { caller } from '../support/world.ts'
import { connectByOAuth, connected, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
const open = async (options: Parameters<typeof openOAuthWorld>[0] = {}) => {
  const world = await openOAuthWorld(options)
  closers.push(() => world.close())
  return world
}
const getBoards = ({ pack }: OAuthWorld, connection?: string) =>
  pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {}, connection })
const connect = ({ pack, sandbox }: OAuthWorld, name: string) => {
  const { key, token } = sandbox.board.credentials
  return pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name,
    secrets: { key, token },
  })
}
const keyIdsIn = async (store: Store) =>
  new Set((await store.sealed.all()).flatMap(({ sealed }) => Object.values(sealed).map((value) => value.split('.')[1])))

describe('rotation', () => {
  it('under load: no call fails, nothing is left under the old key, and the old key is gone', async () => {
    const directory = await testFolder()
    const store = await openSqliteStore({ directory, now: Date.now })
    const world = await open({
      store,
      masterKey: await readKeyring({ file: join(directory, 'master.key') }),
      oauth: '2.0',
    })
    const before = (await world.pack.keys.get()).present
    for (let n = 0; n < 20; n += 1) await connect(world, `Account ${n}`)
    await connectByOAuth(world)
    let isRotating = true
    let [calls, failed] = [0, 0]
    const load = async (worker: number) => {
      for (let n = 0; isRotating; n += 1) {
        const outcome = await getBoards(world, `Account ${(worker * 5 + n) % 20}`)
        calls += 1
        if (!outcome.ok) failed += 1
        // Rows change, appear and are forgotten while they are sealed again.
        const name = `Passing ${worker}-${n}`
        const made = await connect(world, name)
        await world.pack.connections.patch(caller, made.id, { labels: { n: String(n) } })
        if (n % 2 === 0) await world.pack.connections.remove(caller, made.id)
        await world.pack.connections.get(caller, made.id).catch(() => undefined)
        await world.pack.connections.authorize(caller, { integration: 'work-board', type: 'key-token' })
      }
    }
    const workers = Array.from({ length: 4 }, (_, worker) => load(worker))
    const rotations = [await world.pack.keys.rotate(caller), await world.pack.keys.rotate(caller)]
    isRotating = false
    await Promise.all(workers)
    const view = await world.pack.keys.get()
    expect(rotations).toMatchObject([
      { made: true, failed: [], dropped: [before] },
      { made: true, failed: [], dropped: [rotations[0]!.keyId] },
    ])
    expect(rotations[0]!.resealed).toBeGreaterThan(20)
    expect([calls > 8, failed]).toEqual([true, 0])
    expect(await keyIdsIn(store)).toEqual(new Set([view.present]))
    expect(view).toMatchObject({
      present: rotations[1]!.keyId,
      previous: [],
      rows: { [view.present]: expect.any(Number) },
    })
    const file = await readFile(join(directory, 'master.key'), 'utf8')
    expect(
      file
        .trim()
        .split('\n')
        .map((line) => keyIdOf(Buffer.from(line, 'base64'))),
    ).toEqual([view.present, rotations[0]!.keyId, before])
    expect(view.kept).toEqual([rotations[0]!.keyId, before])
    expect((await readdir(directory)).filter((name) => name.startsWith('master.key'))).toEqual(['master.key'])
    expect(await getBoards(world, 'Account 0')).toMatchObject({ ok: true })
    // The next process needs the new key alone.
    const { sandbox } = world
    await world.pack.close()
    const again = await openOAuthWorld({
      store: await openSqliteStore({ directory, now: Date.now }),
      masterKey: await readKeyring({ file: join(directory, 'master.key') }),
      sandbox,
    })
    closers.splice(
      0,
      closers.length,
      () => sandbox.close(),
      () => again.close(),
    )
    expect(await getBoards(again, 'Account 0')).toMatchObject({ ok: true })
  })

  it('cut off by a crash goes on at the next start', async () => {
    const directory = await testFolder()
    const file = join(directory, 'master.key')
    const world = await openOAuthWorld({
      store: await openSqliteStore({ directory, now: Date.now }),
      masterKey: await readKeyring({ file }),
    })
    await connect(world, 'Board')
    const { sandbox } = world
    await world.pack.close()
    // The new key was written down first, and then the process died.
    const next = randomBytes(32)
    await writeFile(file, `${next.toString('base64')}\n${await readFile(file, 'utf8')}`, { mode: 0o600 })
    const store = await openSqliteStore({ directory, now: Date.now })
    const again = await openOAuthWorld({ store, masterKey: await readKeyring({ file }), sandbox })
    closers.push(
      () => sandbox.close(),
      () => again.close(),
    )
    expect(await again.pack.keys.get()).toMatchObject({ present: keyIdOf(next), previous: [] })
    expect(await keyIdsIn(store)).toEqual(new Set([keyIdOf(next)]))
    expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(next.toString('base64'))
    expect(await getBoards(again)).toMatchObject({ ok: true })
    expect(again.events('keys.rotation_resumed')).toHaveLength(1)
  })

  it('keys from the environment are the operator’s: only the re-sealing is done', async () => {
    const store = createMemoryStore()
    const [old, present] = [randomBytes(32), randomBytes(32)]
    const first = await openOAuthWorld({
      store,
      masterKey: await readKeyring({ env: old.toString('hex'), file: '/nowhere' }),
    })
    await connect(first, 'Board')
    const { sandbox } = first
    const keyring = await readKeyring({
      env: present.toString('base64'),
      previous: old.toString('hex'),
      file: '/nowhere',
    })
    const second = await openOAuthWorld({ store, masterKey: keyring, sandbox })
    closers.push(
      () => sandbox.close(),
      () => second.pack.close(),
    )
    expect(await second.pack.keys.get()).toMatchObject({ present: keyIdOf(present), previous: [keyIdOf(old)] })
    expect(await getBoards(second)).toMatchObject({ ok: true })
    const done = await second.pack.keys.rotate(caller)
    expect(done).toMatchObject({ made: false, keyId: keyIdOf(present), failed: [], dropped: [keyIdOf(old)] })
    expect(await keyIdsIn(store)).toEqual(new Set([keyIdOf(present)]))
    await expect(readKeyring({ previous: old.toString('hex'), file: '/nowhere' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('a platform’s own key management wraps the keys; without it nothing opens', async () => {
    const kek = randomBytes(32)
    let isAway = false
    const wrapping = {
      async wrap(key: Buffer) {
        const iv = randomBytes(12)
        const cipher = createCipheriv('aes-256-gcm', kek, iv)
        return Buffer.concat([iv, cipher.update(key), cipher.final()]).toString('base64')
      },
      async unwrap(wrapped: string) {
        if (isAway) throw new Error('away')
        const bytes = Buffer.from(wrapped, 'base64')
        const cipher = createCipheriv('aes-256-gcm', kek, bytes.subarray(0, 12))
        // GCM is a stream: the same again gives the key back.
        return cipher.update(bytes.subarray(12))
      },
    }
    const store = createMemoryStore()
    const first = await openOAuthWorld({ store, masterKey: wrapping })
    await connect(first, 'Board')
    const kept = await store.keyring.get()
    const second = await openOAuthWorld({ store, masterKey: wrapping, sandbox: first.sandbox })
    closers.push(
      () => first.sandbox.close(),
      () => second.pack.close(),
    )
    expect(await getBoards(second)).toMatchObject({ ok: true })
    expect(await second.pack.keys.rotate(caller)).toMatchObject({ made: true, failed: [] })
    expect(JSON.parse((await store.keyring.get())!)).toHaveLength(1)
    expect(await store.keyring.get()).not.toBe(kept)
    const third = await openOAuthWorld({ store, masterKey: wrapping, sandbox: first.sandbox })
    closers.push(() => third.pack.close())
    expect(await getBoards(third)).toMatchObject({ ok: true })
    isAway = true
    await expect(openOAuthWorld({ store, masterKey: wrapping, sandbox: first.sandbox })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('one at a time, and what cannot be opened is named and keeps the old key', async () => {
    const store = createMemoryStore()
    const world = await open({ store })
    const { id } = await connect(world, 'Board')
    const [row] = await store.connections.list('default')
    await store.connections.patch('default', id, {
      secrets: { ...row!.secrets, token: row!.secrets.token!.replace(/^v1\.[^.]+/, 'v1.ffffffffffff') },
    })
    const first = world.pack.keys.rotate(caller)
    await expect(world.pack.keys.rotate(caller)).rejects.toMatchObject({ code: 'conflict' })
    expect(await first).toMatchObject({
      failed: [{ kind: 'connection', id, reason: expect.stringContaining('ffffffffffff') }],
      dropped: [],
    })
  })
})

describe('a master key that is not the one of the data', () => {
  const withAccount = async () => {
    const directory = await testFolder()
    const file = join(directory, 'master.key')
    const world = await openOAuthWorld({
      store: await openSqliteStore({ directory, now: Date.now }),
      masterKey: await readKeyring({ file }),
    })
    closers.push(() => world.sandbox.close())
    await connect(world, 'Board')
    const { present } = await world.pack.keys.get()
    await world.pack.close()
    const reopen = async () => {
      const store = await openSqliteStore({ directory, now: Date.now })
      closers.push(() => store.close().catch(() => undefined))
      return store
    }
    return { directory, file, present, reopen, sandbox: world.sandbox }
  }

  it('lost: no new key is made beside sealed rows, and the ids that are wanted are named', async () => {
    const { directory, file, present, reopen } = await withAccount()
    await rename(file, `${file}.away`)
    const store = await reopen()
    await expect(readKeyring({ file, store })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(new RegExp(`master key ${present}; here: none.*TOOLYARD_MASTER_KEY`)),
    })
    await expect(
      wrappedKeyring(store, { wrap: async () => '', unwrap: async () => randomBytes(32) }),
    ).rejects.toMatchObject({ code: 'unavailable' })
    expect(await readdir(directory)).not.toContain('master.key')
    expect(await store.keyring.get()).toBeUndefined()
  })

  it('wrong: the pack does not open, whatever way the key came', async () => {
    const { present, reopen, sandbox } = await withAccount()
    const store = await reopen()
    const other = randomBytes(32)
    const refusal = {
      code: 'unavailable',
      message: expect.stringContaining(`master key ${present}; here: ${keyIdOf(other)}`),
    }
    await expect(openOAuthWorld({ store, sandbox, masterKey: other })).rejects.toMatchObject(refusal)
    await expect(
      openOAuthWorld({ store, sandbox, masterKey: { keys: [{ id: keyIdOf(other), key: other }] } }),
    ).rejects.toMatchObject(refusal)
    await expect(openOAuthWorld({ store, sandbox })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(present),
    })
  })

  it('wrong under the same id: samples that do not open are found', async () => {
    const store = createMemoryStore()
    const world = await openOAuthWorld({ store, masterKey: { keys: [{ id: 'ours', key: randomBytes(32) }] } })
    closers.push(() => world.close())
    await connect(world, 'Board')
    await expect(
      openOAuthWorld({ store, sandbox: world.sandbox, masterKey: { keys: [{ id: 'ours', key: randomBytes(32) }] } }),
    ).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('None of the stored secrets under the master key ours opens'),
    })
  })

  it('given up by the operator: the pack opens, and what is sealed under it must be entered again', async () => {
    const { present, reopen, sandbox, file } = await withAccount()
    await rename(file, `${file}.away`)
    const store = await reopen()
    const lost = [present]
    const again = await openOAuthWorld({
      store,
      sandbox,
      masterKey: await readKeyring({ file, store, lost }),
      lostKeys: lost,
    })
    closers.push(() => again.pack.close())
    const [account] = await again.pack.connections.list({ tenant: 'default' }, {})
    expect(account).toMatchObject({
      state: 'needs_reconnect',
      stateReason: expect.stringContaining(`master key ${present}, which was given up`),
    })
    const refused = { code: 'not_connected', message: expect.stringContaining('enter the secret again') }
    expect(await getBoards(again)).toMatchObject({ ok: false, failure: refused })
    // Entered again, it is connected, and stays so at the next start.
    await again.pack.connections.patch({ tenant: 'default' }, account!.id, {
      secrets: { key: sandbox.board.credentials.key, token: sandbox.board.credentials.token },
    })
    expect(await getBoards(again)).toMatchObject({ ok: true })
    const later = await openOAuthWorld({
      store,
      sandbox,
      masterKey: await readKeyring({ file, store, lost }),
      lostKeys: lost,
    })
    expect(await later.pack.connections.list({ tenant: 'default' }, {})).toMatchObject([{ state: 'connected' }])
  })

  it('doctor finds it without a server', async () => {
    const { directory, file, present } = await withAccount()
    const settings = (over: object) =>
      ({
        masterKey: undefined,
        previousMasterKeys: undefined,
        lostMasterKeys: [],
        sources: {},
        ...over,
      }) as unknown as Configuration
    const checkSecrets = async (configuration: Configuration) =>
      (await checkStart({ configuration, directory, isServed: false }))[0]
    expect(await checkSecrets(settings({}))).toMatchObject({ state: 'ok' })
    const masterKey = randomBytes(32).toString('base64')
    expect(await checkSecrets(settings({ masterKey }))).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining(present),
    })
    await rename(file, `${file}.away`)
    expect(await checkSecrets(settings({}))).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining(`${present}; here: none`),
    })
    expect(await checkSecrets(settings({ lostMasterKeys: [present] }))).toMatchObject({ state: 'ok' })
    expect(await readdir(directory)).not.toContain('master.key')
  })

  it('a backup from before a rotation: restored with the key file of today, refused without its key before anything is written', async () => {
    const { directory, file, present: former, reopen, sandbox } = await withAccount()
    const store = await reopen()
    const world = await openOAuthWorld({ store, sandbox, masterKey: await readKeyring({ file, store }) })
    closers.push(() => world.pack.close())
    const copy = join(directory, 'one.db')
    await world.pack.backup(caller, copy)
    expect((await checkBackup(copy)).keys).toEqual({ [former]: 2 })
    const { keyId, kept } = await world.pack.keys.rotate(caller)
    expect(kept).toEqual([former])
    const target = join(directory, 'restored')
    const plan = { file: copy, directory: target, now: Date.now, lost: [] }
    await expect(restoreBackup({ ...plan, keys: [keyId] })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(former),
    })
    expect(await readdir(directory)).not.toContain('restored')
    const { keys } = await readKeyring({ file })
    await restoreBackup({ ...plan, keys: keys.map(({ id }) => id) })
    const restored = await openSqliteStore({ directory: target, now: Date.now })
    const again = await openOAuthWorld({
      store: restored,
      sandbox,
      masterKey: await readKeyring({ file, store: restored }),
    })
    closers.push(() => again.pack.close())
    expect(await getBoards(again)).toMatchObject({ ok: true })
    expect(await keyIdsIn(restored)).toEqual(new Set([keyId]))
  })
})

describe('sealed values in every row refuse cleanly', () => {
  type Row = { secrets: Record<string, string> }
  const flip = (value: string, part: number) => {
    const parts = value.split('.')
    const bytes = Buffer.from(parts[part]!, 'base64url')
    bytes[0] = bytes[0]! ^ 1
    parts[part] = bytes.toString('base64url')
    return parts.join('.')
  }
  const changes: [string, (row: Row, other: Row) => Record<string, string>][] = [
    ['one bit of the nonce', ({ secrets }) => ({ ...secrets, token: flip(secrets.token!, 2) })],
    ['one bit of the text', ({ secrets }) => ({ ...secrets, token: flip(secrets.token!, 3) })],
    ['one bit of the tag', ({ secrets }) => ({ ...secrets, token: flip(secrets.token!, 4) })],
    ['cut short', ({ secrets }) => ({ ...secrets, token: secrets.token!.slice(0, -4) })],
    ['moved from another row', ({ secrets }, other) => ({ ...secrets, token: other.secrets.token! })],
    ['moved from another field', ({ secrets }) => ({ ...secrets, token: secrets.key! })],
    [
      'an unknown key id',
      ({ secrets }) => ({ ...secrets, token: secrets.token!.replace(/^v1\.[^.]+/, 'v1.000000000000') }),
    ],
    ['no envelope at all', ({ secrets }) => ({ ...secrets, token: 'plain-token-0123456789' })],
  ]

  it.each(changes)('a connection with %s', async (_, change) => {
    const store = createMemoryStore()
    const world = await open({ store })
    const firstConnection = await connect(world, 'One')
    const other = await connect(world, 'Other')
    const [row, another] = (await Promise.all(
      [firstConnection, other].map(({ id }) => store.connections.get('default', id)),
    )) as [Connection, Connection]
    await store.connections.patch('default', firstConnection.id, { secrets: change(row, another) })
    const before = world.sandbox.board.control.requests().length
    // A pack that has the value still open in memory is none that reads it.
    await world.pack.policies.put('default', {}, caller)
    const outcome = await getBoards(world, 'One')
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: 'not_connected', message: expect.stringMatching(/does not open|was not given/) },
    })
    expect(JSON.stringify(outcome)).not.toContain('plain-token')
    expect(world.sandbox.board.control.requests().length).toBe(before)
    expect(world.events('connection.not_opened')).toMatchObject([{ level: 'error', connection: firstConnection.id }])
    expect(await getBoards(world, 'Other')).toMatchObject({ ok: true })
  })

  it('an app and a flow under way', async () => {
    const store = createMemoryStore()
    const world = await open({ store, oauth: '2.0' })
    const app = (await store.apps.get('default', 'work-board'))!
    await store.apps.put({ ...app, secrets: { ...app.secrets, current: flip(app.secrets.current!, 3) } })
    await expect(
      world.pack.connections.authorize(caller, { integration: 'work-board', type: 'oauth' }),
    ).rejects.toMatchObject({ code: 'not_connected' })
    await store.apps.put(app)
    const save = store.authorizations.save.bind(store.authorizations)
    store.authorizations.save = (id, secrets) =>
      save(id, Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, flip(value, 3)])))
    expect(
      await connectByOAuth(world).then(
        ({ page }) => page,
        (error: unknown) => error,
      ),
    ).toMatchObject({ code: 'not_connected' })
    store.authorizations.save = save
    connected((await connectByOAuth(world)).page)
  })
})

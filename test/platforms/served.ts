import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readManifests } from '../../scripts/packages/manifests.ts'
import type { Manifest, PackIndex } from '../../scripts/packages/manifests.ts'
import { start } from '../faces/process.ts'

const load = createRequire(import.meta.url)

/** A package that is installed here and nowhere else. @throws with the command that installs them */
export const loadPlatform = (name: string): any => {
  try {
    return load(name)
  } catch (thrown) {
    throw new Error(
      `${name} cannot be loaded. First run: npm install --no-save --prefix test/platforms --ignore-scripts`,
      { cause: thrown },
    )
  }
}

export type Delivered = { headers: IncomingHttpHeaders; body: string }

/** Where a platform would receive starts: keeps what arrives and answers 200. */
const startReceiver = async () => {
  const arrived: Delivered[] = []
  const waiting: ((delivery: Delivered) => void)[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const delivery = { headers: request.headers, body }
      response.end()
      const next = waiting.shift()
      if (next) next(delivery)
      else arrived.push(delivery)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()!) : new Promise<Delivered>((done) => waiting.push(done)),
    close: () => new Promise((done) => server.close(done)),
  }
}

export type Served = Awaited<ReturnType<typeof startServed>>

/** `toolyard serve --sandbox` as a process of its own, and a place that it may send starts to. */
export const startServed = async () => {
  const receiver = await startReceiver()
  const directory = await mkdtemp(join(tmpdir(), 'toolyard-platforms-'))
  const server = start(['serve', '--sandbox'], {
    TOOLYARD_DATA: directory,
    TOOLYARD_PORT: '0',
    TOOLYARD_AGENT_ORIGINS: receiver.origin,
  })
  await server.printed('Try:')
  const address = /Address +(\S+)/.exec(server.out())![1]!
  const board = /Sandbox board +(\S+)/.exec(server.out())![1]!
  const token = (await readFile(join(directory, 'sandbox', 'token'), 'utf8')).trim()
  const ask = async <T = any>(path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as T
  }
  return {
    address,
    token,
    receiver,
    ask,
    /** As a person would on the sandbox board. */
    control: (name: string, body: object) =>
      fetch(`${board}/_control/${name}`, { method: 'POST', body: JSON.stringify(body) }),
    /** The manifests with the settings of this server applied. */
    manifests: async (): Promise<{ pack: PackIndex; manifests: Manifest[] }> => {
      const { pack, manifests } = readManifests()
      return { pack, manifests: await Promise.all(manifests.map(({ id }) => ask<Manifest>(`/v1/integrations/${id}`))) }
    },
    close: async () => {
      server.kill('SIGTERM')
      await server.ended
      await receiver.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Makes the newest card of the first list of the first board, with every part that a dropdown could offer. */
export const makeFullCard = async ({ ask }: Pick<Served, 'ask'>): Promise<void> => {
  const run = async (step: string, input: object) => {
    const { output, ...failure } = await ask(`/v1/steps/work-board/${step}/run`, { input })
    if (output === undefined) throw new Error(`${step}: ${JSON.stringify(failure)}`)
    return output
  }
  const { boards } = await run('get-boards', { lists: 'open' })
  const [{ id: idBoard, lists }] = boards
  const { id: idCard } = await run('create-card', { idList: lists[0].id, name: 'Full' })
  const { members } = await run('get-members', { idBoard })
  const { labels } = await run('get-labels', { idBoard })
  await run('add-member-to-card', { idCard, idMember: members[0].id })
  await run('add-label-to-card', { idCard, idLabel: labels[0].id })
  await run('add-comment-to-card', { idCard, text: 'Hello' })
  const { id: idChecklist } = await run('add-checklist', { idCard, name: 'Steps' })
  await run('create-a-checklist-item', { idChecklist, name: 'One' })
  await run('attach-file', { idCard, file: { name: 'cover.png', base64: 'iVBORw0KGgo=' } })
}

/** A folder whose packages find the frameworks that are installed here. */
export const makeFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolyard-packages-'))
  await symlink(fileURLToPath(new URL('node_modules', import.meta.url)), join(folder, 'node_modules'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Value for the first field that was given, which no step takes. */
export const spoil = (input: Record<string, unknown>): Record<string, unknown> => ({
  ...input,
  [Object.keys(input)[0]!]: { wrong: [true] },
})

/**
 * A server with the routes of files and of one step that gives back its input: no step of the sandbox takes a file of
 * every kind.
 */
export const startFileApi = async () => {
  const uploads: { type: string | undefined; name: string; body: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isUpload = request.url === '/v1/files'
      if (isUpload)
        uploads.push({ type: request.headers['content-type'], name: String(request.headers['file-name']), body })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(isUpload ? { id: `file_${uploads.length}` } : { output: JSON.parse(body), meta: {} }))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    uploads,
    close: () => new Promise((done) => server.close(done)),
  }
}

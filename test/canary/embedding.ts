import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { integrationIds } from '../support/shipped.ts'
import type { Asked, CanaryWorld } from './world.ts'
import { kindsOf, marker } from './story.ts'
import { echoesOf } from './sweep.ts'

/** What a platform that embeds the server uses: secrets that are exchanged, notifications, files and flat tools. */

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** How many secrets the last call of an address, `after` so many pieces of evidence, was signed with. */
const signaturesAt = async ({ evidence }: CanaryWorld, path: string, after: number) => {
  const come = () => evidence.slice(after).findLast(({ place, name }) => place === 'agent' && name === path)
  for (let n = 0; n < 300 && !come(); n += 1) await wait(100)
  const [headers = '{}'] = come()?.bytes.toString('utf8').split('\n') ?? []
  return String(JSON.parse(headers)['webhook-signature']).split(' ').length
}

type Rotation = {
  world: CanaryWorld
  route: string
  name: string
  request?: Asked
  about?: object
  secretOf(json: any): string
  tell(secret: string): void
}

/**
 * Exchanges a secret for one that is given and one that is made, after two that are mistyped. Gives the four statuses.
 */
const rotate = async ({ world: { ask, secrets }, route, name, request = {}, about = {}, secretOf, tell }: Rotation) => {
  const secret = newSecret()
  secrets.set(`${name} rotated to, given`, secret)
  const statuses: number[] = []
  for (const wrong of [[secret], `${secret}!`])
    statuses.push((await ask(route, { ...request, body: { ...about, secret: wrong } })).status)
  tell(secret)
  statuses.push((await ask(route, { ...request, body: { ...about, secret } })).status)
  const { status, json } = await ask(route, { ...request, body: about, shows: (answer) => [secretOf(answer) ?? ''] })
  secrets.set(`${name} rotated to, made`, secretOf(json))
  tell(secretOf(json))
  return [...statuses, status]
}

/** An agent with both secrets of a rotation tells them when it is started. */
export const rotateAgentSecret = async (world: CanaryWorld, id: string) => {
  const { ask, evidence, told: agentAnswers } = world
  const tell = (secret: string) => void (agentAnswers['/new-card'] += ` ${echoesOf(secret).join(' ')}`)
  const secretOf = (json: any) => json.agent?.secret
  const request = { params: { id } }
  const statuses = await rotate({
    world,
    route: 'POST /v1/subscriptions/:id/rotate-secret',
    name: 'agent secret',
    request,
    secretOf,
    tell,
  })
  const before = evidence.length
  await ask('POST /v1/subscriptions/:id/test', request)
  return { statuses, signatures: await signaturesAt(world, '/new-card', before) }
}

/**
 * An agent that tells the secrets that sign a test of its address: those of a subscription, and one that is given; and
 * a given one that is mistyped.
 */
export const testAgents = async ({ ask, agent, told: agentAnswers, secrets }: CanaryWorld, subscription: string) => {
  const secret = newSecret()
  secrets.set('agent secret of a test', secret)
  agentAnswers['/tested'] = `I know ${echoesOf(secret).join(' ')}`
  const url = `${agent.origin}/tested`
  const tests = []
  for (const body of [{ subscription }, { url, secret }, { url, secret: `${secret}!` }])
    tests.push(await ask('POST /v1/agents/test', { body }))
  return tests.map(({ status, json }) => [status, json.signedWith ?? json.errors?.[0]?.pointer])
}

/** A platform that tells what it knows when it is notified of a connection. */
export const notifyPlatform = async (world: CanaryWorld) => {
  const { ask, agent, evidence, told: agentAnswers, secrets, key, token } = world
  const path = '/notified'
  agentAnswers[path] = 'I am'
  const tell = (secret: string) => void (agentAnswers[path] += ` ${echoesOf(secret).join(' ')}`)
  const secretOf = (json: any) => json.secret
  const url = `${agent.origin}${path}`
  const first = await ask('PUT /v1/admin/notifications', { body: { url }, shows: (json) => [secretOf(json)] })
  secrets.set('notification secret made', secretOf(first.json))
  const givenSecret = newSecret()
  secrets.set('notification secret given', givenSecret)
  const second = await ask('PUT /v1/admin/notifications', { body: { url, secret: givenSecret } })
  const rotated = await rotate({
    world,
    route: 'POST /v1/admin/notifications/rotate-secret',
    name: 'notification secret',
    secretOf,
    tell,
  })
  for (const secret of [secretOf(first.json), givenSecret]) tell(secret)
  const before = evidence.length
  await ask('POST /v1/connections', {
    body: { integration: 'work-board', type: 'key-token', name: 'Notified', secrets: { key, token } },
  })
  const signatures = await signaturesAt(world, path, before)
  await ask('GET /v1/admin/notifications')
  return { statuses: [first.status, second.status, ...rotated], signatures }
}

/** Files whose content is a secret: it is in the download alone. */
export const useFiles = async ({ ask, secrets, sandbox }: CanaryWorld) => {
  const content = `content-${randomBytes(24).toString('hex')}/+&"\\${randomBytes(6).toString('hex')}`
  secrets.set('content of a file', content)
  const base64 = Buffer.from(content).toString('base64')
  const inText = await ask('POST /v1/files', { body: { name: 'In a text.txt', base64 } })
  const asItIs = await ask('POST /v1/files', {
    raw: content,
    headers: { 'content-type': 'text/plain', 'file-name': 'As it is.txt' },
  })
  const refused = [
    await ask('POST /v1/files', { body: { name: 'Wrong.txt', base64: `${base64}!`, more: content } }),
    await ask('POST /v1/files', { body: { url: `https://127.0.0.1/${encodeURIComponent(content)}` } }),
  ]
  const { id } = inText.json as { id: string }
  const card = [...sandbox.board.state.cards.keys()][0]!
  const attached = await ask('POST /v1/steps/:integration/:step/run', {
    params: { integration: 'work-board', step: 'attach-file' },
    body: { connection: marker, input: { idCard: card, file: { file: id } } },
  })
  const seen = [
    await ask('GET /v1/files'),
    await ask('GET /v1/files/:id/metadata', { params: { id } }),
    await ask('GET /v1/files/:id', { params: { id }, shown: [content] }),
    await ask('GET /v1/files/:id', { params: { id: asItIs.json.id }, shown: [content] }),
  ]
  const removed = await ask('DELETE /v1/files/:id', { params: { id } })
  const statusOf = ({ status }: { status: number }) => status
  return {
    made: [inText, asItIs].map(statusOf),
    refused: refused.map(statusOf),
    attached: attached.status,
    seen: seen.map(statusOf),
    removed: removed.status,
  }
}

/** Steps as tools with flat bodies, and their documents. */
export const useTools = async ({ ask, sandbox, token }: CanaryWorld) => {
  const call = (tool: string, body: object) =>
    ask('POST /v1/tools/:tool', { params: { tool }, body: { connection: marker, ...body } })
  const { control } = sandbox.board
  for (const { fault } of kindsOf([token]).filter(({ isSlow }) => !isSlow)) {
    control.fault(fault)
    await call('work_board_get_boards', {})
    control.clearFaults()
  }
  await call('work_board_get_boards', { lists: token, more: token })
  const { status: unknown } = await call('nothing', {})
  const { status: right } = await call('work_board_get_boards', {})
  const documents = []
  for (const integration of integrationIds)
    documents.push(
      (await ask('GET /openapi/:integration.json', { params: { integration }, query: '?set=core' })).status,
    )
  return { right, unknown, documents }
}

/** A browser that signs in and out; its cookie and code are given out once, and end up nowhere else. */
export const signInBrowser = async ({ ask, command, secrets, forgive, bearer }: CanaryWorld) => {
  const codeOf = (text: string) => /#code=([\w-]+)/.exec(text)?.[1] ?? ''
  const { json } = await ask('POST /v1/sign-in-codes', { shows: ({ url }) => [codeOf(url)] })
  const code = codeOf(json.url)
  secrets.set('sign-in code', code)
  const signedIn = async (body: object) => {
    const reply = await ask('POST /v1/session', { token: '', body })
    const cookie = reply.headers.get('set-cookie')!.split(';')[0]!
    secrets.set(`session ${secrets.size}`, cookie.split('=')[1]!)
    forgive(cookie.split('=')[1]!)
    return { cookie, 'x-csrf-token': reply.json.csrfToken as string }
  }
  const session = await signedIn({ code })
  const statuses = [(await ask('POST /v1/session', { token: '', body: { code } })).status]
  await ask('POST /v1/session', { token: '', body: { code, token: bearer } })
  await ask('POST /v1/session', { token: '', raw: `{"code":"${code}` })
  await ask('GET /v1/connections', { token: '', query: `?code=${code}` })
  const other = await signedIn({ token: bearer })
  statuses.push(
    (await ask('GET /v1/session', { token: '', headers: session })).status,
    (await ask('GET /v1/server', { token: '', headers: other })).status,
  )
  statuses.push((await ask('DELETE /v1/session', { token: '', headers: { cookie: session.cookie } })).status)
  statuses.push((await ask('DELETE /v1/session', { token: '', headers: session })).status)
  statuses.push((await ask('GET /v1/session', { token: '', headers: { cookie: session.cookie } })).status)
  const { out } = await command(['console'], { shows: (text) => [codeOf(text)] })
  secrets.set('sign-in code of the command', codeOf(out))
  return statuses
}

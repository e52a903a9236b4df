/** A workspace in use: what each page of the console has rows for, and the ids that no page shows as text. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createDataSet } from '../../../shared/sandbox/people/data-set.ts'
import { findIds } from '../../sandbox/board-client.ts'
import { signedInClient } from '../../oauth/world.ts'
import type { Page } from '../browser.ts'
import { openServer } from './setup.ts'
import type { Server } from './setup.ts'

type Row = Record<string, any> & { id: string }

/** An agent that refuses everything. */
const openDeadAgent = async () => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(422).end('This agent takes no starts.'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/start`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Waits for a state of the workspace, for half a minute. */
const until = async (what: string, check: () => Promise<boolean>) => {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await check()) return
    await wait(100)
  }
  throw new Error(`The workspace has no ${what}.`)
}

export const openBusyWorld = async () => {
  const dead = await openDeadAgent()
  const server = await openServer({
    oauthServer: 'on',
    runContentsMs: 86_400_000,
    agentOrigins: [new URL(dead.url).origin],
  })
  const { sandbox, pack } = server
  const api = async (method: string, path: string, body?: unknown) => {
    const reply = await server.api(method, path, body)
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const items = async (path: string): Promise<Row[]> => (await api('GET', path)).items
  const run = (step: string, input: object) => api('POST', `steps/${step}/run`, { input })

  const ids = findIds(sandbox.board)
  const [list, otherList] = [ids.list('Ideas'), ids.list('In progress')]
  const [connection] = await items('connections?integration=work-board')
  const person = 'mara@acme.example'
  const secrets = { key: sandbox.board.credentials.key, token: sandbox.board.credentials.token }
  const own: Row = await api('POST', 'connections', {
    integration: 'work-board',
    type: 'key-token',
    name: 'Mara’s own account',
    person,
    secrets,
  })
  const attach = (trigger: string, agent: object, config: object = { boards: [ids.board] }) =>
    api('POST', 'subscriptions', { integration: 'work-board', trigger, config, agent, connection: connection!.id })
  const planner = { id: 'planner', url: sandbox.agent.url }
  await attach('card-moved', planner)
  await attach('new-comment-added-to-card', planner)
  await attach('new-card', { id: 'archivist', url: dead.url }, { boards: [ids.board] })
  const paused: Row = await attach('card-archived', planner)
  await api('POST', `subscriptions/${paused.id}/pause`)

  const { control } = sandbox.board
  const lists = control.overview().find(({ id }) => id === ids.board)!.lists
  const [card, otherCard] = lists.find(({ id }) => id === list)!.cards
  control.moveCard({ by: 'odettequill', idCard: card!.id, idList: otherList })
  control.comment({ by: 'odettequill', idCard: otherCard!.id, text: 'Looks good to me' })
  control.createCard({ by: 'odettequill', idList: list, name: 'Order the banner' })
  await run('work-board/create-card', { idList: list, name: 'Call Bob', desc: 'About the second proof' })
  await run('work-board/get-boards', { lists: 'open' })
  await run('anz-data/company-enrichment', { domain: 'wattle.example' })
  await server.api('POST', 'steps/work-board/get-card/run', { input: { idCard: '507f1f77bcf86cd799439011' } })

  const agentToken = await pack.tokens.create('default', { name: 'CRM agent', scopes: ['run'] })
  await api('POST', 'approval-rules', { name: 'Ask before deletes', when: { effects: ['delete'] }, by: 'approvers' })
  const callAsAgent = (step: string, input: object) =>
    fetch(`${server.origin}/v1/steps/${step}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agentToken.text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    })
  await callAsAgent('work-board/delete-card', { idCard: otherCard!.id })
  await api('POST', 'budgets', { scope: 'tenant', credits: 500, period: 'month' })
  await api('POST', 'budgets', { scope: 'connection', subject: connection!.id, credits: 50, period: 'day' })
  await signedInClient({ address: server.origin, token: server.token }, { scope: 'run read' })

  const people = createDataSet().people.filter(
    ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail,
  )
  const [contact] = await items('connections?integration=contact-data')
  const rows = people.slice(0, 3).map(({ workEmail }) => workEmail)
  await api('POST', 'steps/contact-data/find-contact/run', { person, input: { email: people[4]!.workEmail } })
  await createJob(server, contact!.id, `Email\n${rows.join('\n')}\n`)

  await until('starts', async () => (await items('starts?state=done')).length >= 2)
  await until('refused start', async () => (await items('starts')).some(({ answer }) => answer?.status === 422))
  await until('job that ended', async () => (await items('jobs')).every(({ state }) => state !== 'running'))

  return {
    server,
    api,
    items,
    ids,
    board: sandbox.board,
    person,
    /** Mara's account needs to be reconnected: the board does not take its token any more. */
    breakAccount: async () => {
      const { token } = sandbox.board.control.issueToken({ read: true, write: true, account: true })
      await api('PATCH', `connections/${own.id}`, { secrets: { ...secrets, token } })
      sandbox.board.control.revokeToken({ token })
      await server.api('POST', `connections/${own.id}/test`)
    },
    fillSecrets: async (page: Page) => {
      await page.getByLabel('Token').fill(secrets.token)
    },
    isAccountWell: async () => (await api('GET', `connections/${own.id}`)).state === 'connected',
    /** An agent wants to delete a card of this name; a rule holds it. Returns the card's id. */
    holdDelete: async (name: string) => {
      const card = sandbox.board.control.createCard({ by: 'odettequill', idList: list, name })
      await callAsAgent('work-board/delete-card', { idCard: card.id })
      return card.id
    },
    close: async () => {
      await server.close()
      await dead.close()
    },
  }
}
export type BusyWorld = Awaited<ReturnType<typeof openBusyWorld>>

const createJob = async (server: Server, connection: string, csv: string) => {
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
  const headers = { authorization: `Bearer ${server.token}` }
  const file = (await (await fetch(`${server.origin}/v1/files`, { method: 'POST', headers, body: form })).json()) as Row
  const job = await server.api('POST', 'jobs', {
    kind: 'person',
    file: file.id,
    integration: 'contact-data',
    connection,
    maxCredits: 50,
  })
  if (job.status >= 400) throw new Error(JSON.stringify(job.body))
}

import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import type { Client } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newClient } from '../support/mcp-world.ts'
import { randomFrom } from '../support/board-events.ts'
import { nameOf, owners, tenants } from './world.ts'
import type { PeopleWorld, Tenant } from './world.ts'

type Counts = { [account: string]: number }
/** Who calls: a token of the person, or one that is bound to nobody and names the person (or nobody) in the call. */
type Who = { tenant: Tenant; person: string; isNamed: boolean; token: string; account: string }
export type Visit = {
  way: string
  who: string
  /** Accounts that were asked; what they may be. */
  asked: Counts
  expected: string | undefined
  /** Whether the account has to be asked: choices may come from the cache. */
  isCertain: boolean
  problem: string | undefined
}

const emails = createDataSet()
  .people.filter(({ knownTo, workEmail, suppressed }) => knownTo.includes('contact') && workEmail && !suppressed)
  .map(({ workEmail }) => workEmail!)

/** A seeded walk of calls by everybody through every way in; says of each call which accounts it reached. */
export const walk = async (world: PeopleWorld, calls: number, seed: number): Promise<Visit[]> => {
  const random = randomFrom(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  const { http, board, contact, connections, tokens, approvers } = world
  const clients = new Map<string, Client>()
  const files: { id: string; owner: string }[] = []
  const subscriptions: { id: string; owner: string }[] = []
  const answers = new Map<string, string>()

  const ask = async (who: Who, url: string, body?: object, headers: Record<string, string> = {}) => {
    const reply = await http.inject({
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {
        authorization: `Bearer ${who.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const isJson = String(reply.headers['content-type']).includes('json')
    return { status: reply.statusCode, json: isJson && reply.body !== '' ? JSON.parse(reply.body) : undefined }
  }
  const person = ({ person: id, isNamed }: Who) => (isNamed && id !== '' ? { person: id } : {})
  const somebody = (): Who => {
    const tenant = pick(tenants)
    const id = pick(owners[tenant])
    const isNamed = id === '' || random() < 0.4
    return {
      tenant,
      person: id,
      isNamed,
      token: tokens[nameOf(tenant, isNamed ? '' : id)]!,
      account: nameOf(tenant, id),
    }
  }
  const clientOf = async ({ token }: Who) => {
    const present = clients.get(token)
    if (present) return present
    const client = newClient('2026-07-28')
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp?set=all', world.address), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    clients.set(token, client)
    return client
  }
  /** Somebody else's account of the same tenant that the call may not use; undefined: there is none. */
  const foreignOf = ({ tenant, person: own, account }: Who) => {
    if (own === '') return undefined
    const other = pick(owners[tenant].filter((id) => id !== own && id !== ''))
    return other === undefined ? undefined : { name: nameOf(tenant, other), account }
  }

  type Result = { expected?: string; isCertain?: boolean; problem?: string | undefined }
  const unless = (isRight: boolean, what: unknown) => (isRight ? undefined : JSON.stringify(what).slice(0, 300))
  const sharedKey = (way: string) => ({ 'idempotency-key': `shared-${way}-${pick([1, 2, 3])}` })
  /** With a key that its account used before, a call is answered as then and asks nobody; else it is made. */
  const replayed = (
    { account }: Who,
    way: string,
    key: object,
    answer: string | undefined,
    problem: string | undefined,
  ): Result => {
    const name = JSON.stringify([way, account, key])
    const former = answers.get(name)
    if (former === undefined) answers.set(name, answer!)
    const isSame =
      former === undefined ? ![...answers].some(([other, id]) => other !== name && id === answer) : former === answer
    return {
      ...(former === undefined ? { expected: account } : {}),
      problem: problem ?? unless(isSame, [name, former, answer]),
    }
  }
  const boards = { input: {} }
  const readBoards = '/v1/steps/work-board/get-boards/run'

  const ways: { [way: string]: (who: Who) => Promise<Result> } = {
    async 'a run that names no connection'(who) {
      const { status, json } = await ask(who, readBoards, { ...boards, ...person(who) })
      return { expected: who.account, problem: unless(status === 200, json) }
    },
    async 'a run by the name that all accounts have'(who) {
      const { status, json } = await ask(who, readBoards, { ...boards, ...person(who), connection: 'Board' })
      return { expected: who.account, problem: unless(status === 200, json) }
    },
    async 'a run on the account of the workspace'(who) {
      const name = nameOf(who.tenant, '')
      const { status, json } = await ask(who, readBoards, {
        ...boards,
        ...person(who),
        connection: connections[name]!.board,
      })
      return { expected: name, problem: unless(status === 200, json) }
    },
    async 'a run on the account of somebody else'(who) {
      const foreign = foreignOf(who)
      if (!foreign) return {}
      const { status, json } = await ask(who, readBoards, {
        ...boards,
        ...person(who),
        connection: connections[foreign.name]!.board,
      })
      return { problem: unless(status === 404, json) }
    },
    async 'a run with a key that others use too'(who) {
      const key = sharedKey('run')
      const { status, json } = await ask(who, readBoards, { ...boards, ...person(who) }, key)
      const isOwn = json?.meta?.connection?.id === connections[who.account]!.board
      return replayed(who, 'run', key, json?.meta?.runId, unless(status === 200 && isOwn, json))
    },
    async 'a lookup with a key that others use too'(who) {
      const key = sharedKey('lookup')
      const { status, json } = await ask(
        who,
        '/v1/lookups/person',
        { identifiers: { email: emails[0] }, want: ['fullName'], refresh: true, ...person(who) },
        key,
      )
      const [provider] = json?.output?.providers ?? []
      const isOwn = provider?.connection === connections[who.account]!.contact
      return replayed(who, 'lookup', key, provider?.runId, unless(status === 200 && isOwn, json))
    },
    async 'a file with a key that others use too'(who) {
      const key = sharedKey('file')
      const { status, json } = await ask(who, '/v1/files', { name: 'a.txt', base64: 'YQ==', ...person(who) }, key)
      const isOwn = json?.person === (who.person || null)
      const { problem } = replayed(who, 'file', key, json?.id, unless(status === 201 && isOwn, json))
      return { problem }
    },
    async 'a tool of an agent'(who) {
      const headers = who.isNamed && who.person !== '' ? { person: encodeURIComponent(who.person) } : {}
      const { status, json } = await ask(who, '/v1/tools/work_board_get_boards', {}, headers)
      return { expected: who.account, problem: unless(status === 200, json) }
    },
    async 'a tool of MCP'(who) {
      const client = await clientOf(who)
      const meta = who.isNamed && who.person !== '' ? { _meta: { 'toolyard/person': who.person } } : {}
      const result = await client.callTool({ name: 'work_board_get_boards', arguments: {}, ...meta })
      return { expected: who.account, problem: unless(result.isError !== true, result.content) }
    },
    async 'a tool of MCP on the account of somebody else'(who) {
      const foreign = foreignOf(who)
      if (!foreign) return {}
      const client = await clientOf(who)
      const meta = who.isNamed ? { _meta: { 'toolyard/person': who.person } } : {}
      const result = await client.callTool({
        name: 'work_board_get_boards',
        arguments: { connection: connections[foreign.name]!.board },
        ...meta,
      })
      return { problem: unless(result.isError === true, result.content) }
    },
    async 'choices of a field'(who) {
      const { status, json } = await ask(who, '/v1/steps/work-board/create-card/options', {
        field: 'idBoard',
        ...person(who),
      })
      return { expected: who.account, isCertain: false, problem: unless(status === 200, json) }
    },
    async 'choices of a field, on the account of somebody else'(who) {
      const foreign = foreignOf(who)
      if (!foreign) return {}
      const { status, json } = await ask(who, '/v1/steps/work-board/create-card/options', {
        field: 'idBoard',
        ...person(who),
        connection: connections[foreign.name]!.board,
      })
      return { problem: unless(status === 404, json) }
    },
    async 'a lookup at all providers'(who) {
      const { status, json } = await ask(who, '/v1/lookups/person', {
        identifiers: { email: pick(emails) },
        want: ['fullName'],
        refresh: true,
        ...person(who),
      })
      return { expected: who.account, problem: unless(status === 200, json) }
    },
    async 'a job'(who) {
      const content = Buffer.from(`email\n${pick(emails)}\n`).toString('base64')
      const file = await ask(who, '/v1/files', { name: 'people.csv', base64: content, ...person(who) })
      if (file.status !== 201) return { problem: JSON.stringify(file.json) }
      files.push({ id: file.json.id, owner: who.account })
      const made = await ask(who, '/v1/jobs', {
        file: file.json.id,
        integration: 'contact-data',
        confirm: true,
        refresh: true,
        ...person(who),
      })
      if (made.status !== 201) return { problem: JSON.stringify(made.json) }
      for (let tries = 0; tries < 2_000; tries += 1) {
        const { json } = await ask(who, `/v1/jobs/${made.json.id}`)
        if (json.state === 'done') return { expected: who.account }
        if (json.state === 'failed' || json.state === 'paused') return { problem: JSON.stringify(json) }
        await new Promise((done) => setTimeout(done, 5))
      }
      return { problem: 'the job does not end' }
    },
    async "somebody's file"(who) {
      const file = files.length > 0 ? pick(files) : undefined
      if (!file) return {}
      const mayRead = file.owner.startsWith(`${who.tenant}/`) && (who.isNamed || file.owner === who.account)
      const { status, json } = await ask(who, `/v1/files/${file.id}`)
      return { problem: unless(status === (mayRead ? 200 : 404), [file, json]) }
    },
    async "a job over somebody else's file"(who) {
      const others = files.filter(({ owner }) => owner !== who.account && !owner.endsWith('workspace'))
      if (others.length === 0 || who.person === '') return {}
      const { status, json } = await ask(who, '/v1/jobs', {
        file: pick(others).id,
        integration: 'contact-data',
        ...person(who),
      })
      return { problem: unless(status === 404, json) }
    },
    async 'a subscription, and the sample of somebody else’s'(who) {
      const other = subscriptions.find(({ owner }) => owner !== who.account)
      if (other && !who.isNamed) {
        const { status, json } = await ask(who, `/v1/subscriptions/${other.id}/sample`)
        if (status !== 404) return { problem: JSON.stringify(json) }
      }
      const made = await ask(who, '/v1/subscriptions', {
        integration: 'work-board',
        trigger: 'new-card',
        config: { boards: [world.sandbox.board.control.overview()[0]!.id] },
        agent: { url: 'https://agents.example/start' },
        options: { delivery: 'poll' },
        ...person(who),
      })
      if (made.status === 201) subscriptions.push({ id: made.json.id, owner: who.account })
      return { expected: who.account, isCertain: false, problem: unless(made.status === 201, made.json) }
    },
    async 'a run that waits for a decision'(who) {
      const input = { idBoard: world.sandbox.board.control.overview()[0]!.id, name: `List ${random()}` }
      const make = () => ask(who, '/v1/steps/work-board/create-list/run', { input, ...person(who) })
      const held = await make()
      const path = `/v1/approvals/${held.json?.approval?.id}`
      if (held.json?.code !== 'approval_pending') return { problem: JSON.stringify(held.json) }
      if (Object.keys(board.counts).length > 0) return { problem: 'something was sent before it was approved' }
      const elsewhere = tenants.find((tenant) => tenant !== who.tenant)!
      const other = owners[who.tenant].find((id) => id !== who.person && id !== '')!
      const strangers = [tokens[nameOf(who.tenant, other)]!, approvers[elsewhere]]
      for (const token of who.person === '' || !who.isNamed ? strangers : [approvers[elsewhere]]) {
        const seen = await ask({ ...who, token }, path)
        const approved = await ask({ ...who, token }, `${path}/approve`, {})
        if (seen.status !== 404 || approved.status !== 404) return { problem: JSON.stringify([seen, approved]) }
      }
      const own = await ask(who, `${path}/approve`, {})
      if (own.json?.code !== 'not_allowed') return { problem: JSON.stringify(own.json) }
      await ask({ ...who, token: approvers[who.tenant] }, `${path}/approve`, {})
      for (let tries = 0; tries < 2_000; tries += 1) {
        const { status, json } = await make()
        if (json?.code !== 'approval_pending') return { expected: who.account, problem: unless(status === 200, json) }
        await new Promise((done) => setTimeout(done, 5))
      }
      return { problem: 'what was approved is not sent' }
    },
    async lists(who) {
      const [rows, runs, people] = await Promise.all([
        ask(who, '/v1/connections'),
        ask(who, '/v1/runs'),
        ask(who, '/v1/people'),
      ])
      const seen = [
        ...rows.json.items.map((row: { person: string | null }) => row.person ?? ''),
        ...people.json.items.map(({ id }: { id: string }) => id),
      ]
      const isOwn = (id: string) => who.isNamed || id === '' || id === who.person
      const isOwnRun = (run: { person: string | null }) => who.isNamed || run.person === who.person
      return { problem: unless(seen.every(isOwn) && runs.json.items.every(isOwnRun), [who.account, seen]) }
    },
  }

  const visits: Visit[] = []
  const rare = new Set(['a job', 'a subscription, and the sample of somebody else’s'])
  try {
    for (let number = 0; number < calls; number += 1) {
      const names = Object.keys(ways)
      let way = pick(names)
      if (rare.has(way) && random() < 0.5) way = pick(names)
      const who = somebody()
      for (const { counts } of [board, contact]) for (const name of Object.keys(counts)) delete counts[name]
      const { expected, isCertain = expected !== undefined, problem } = await ways[way]!(who)
      const asked: Counts = {}
      for (const { counts } of [board, contact])
        for (const [name, requests] of Object.entries(counts)) asked[name] = (asked[name] ?? 0) + requests
      visits.push({ way, who: who.account + (who.isNamed ? ' (named)' : ''), asked, expected, isCertain, problem })
    }
  } finally {
    for (const client of clients.values()) await client.close()
  }
  return visits
}

/** Visits that failed, or reached an account that they were not for. */
export const wrong = (visits: Visit[]): Visit[] =>
  visits.filter(({ asked, expected, isCertain, problem }) => {
    const accounts = Object.keys(asked)
    return problem !== undefined || accounts.some((name) => name !== expected) || (isCertain && accounts.length === 0)
  })

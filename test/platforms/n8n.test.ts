import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { n8nPackage } from '../../scripts/packages/n8n/index.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'
import { camelCase, singular } from '../../scripts/packages/n8n/words.ts'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { until } from '../support/agent-world.ts'
import { generate, installInN8n, run } from './n8n-package.ts'
import { createN8n } from './n8n-server.ts'
import type { N8n } from './n8n-server.ts'
import {
  fileMaker,
  credential,
  executionsOf,
  fillIn,
  finished,
  manualTrigger,
  runManually,
  startManually,
  triggerOf,
  workflow,
} from './n8n-workflows.ts'
import type { Execution, Node, NodeType } from './n8n-workflows.ts'
import { approvalWorkflow, longWait } from './n8n-approvals.ts'
import { picturesWorkflow, takePictures } from './n8n-pictures.ts'
import { rightInputs, sandboxFields, wrongInput } from './n8n-inputs.ts'

/** The generated package in a real n8n, against `toolyard serve --sandbox`; both are processes of their own. */
let folder: string
let n8n: N8n
let server: Started
let types: NodeType[]
const toolyard = { url: '', token: '', board: '' }

const { manifests } = readManifests()
const all = manifests.flatMap((manifest) =>
  manifest.steps.map((step) => ({ manifest, step, key: `${manifest.id}/${step.id}` })),
)
const isDelete = ({ step }: (typeof all)[number]) => step.effect === 'delete'
/** In the order of running: what deletes comes last, the parts before the whole. */
const steps = [...all.filter((one) => !isDelete(one)), ...all.filter(isDelete).toReversed()]

/** toolyard's own API, to see what n8n made it do. */
const ask = async (path: string, method = 'GET', body?: object) => {
  const headers = { authorization: `Bearer ${toolyard.token}`, 'content-type': 'application/json' }
  const reply = await fetch(toolyard.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  return reply.status === 204 ? undefined : ((await reply.json()) as any)
}
/** The sandbox board, as a person at it. */
const control = async (name: string, body?: object): Promise<any> => {
  const reply = await fetch(
    `${toolyard.board}/_control/${name}`,
    body ? { method: 'POST', body: JSON.stringify(body) } : {},
  )
  return reply.json()
}

const serve = async (agentOrigin: string) => {
  const data = join(folder, 'toolyard')
  server = start(['serve', '--sandbox', '--profile', 'contact-data=lusha-v3'], {
    TOOLYARD_DATA: data,
    TOOLYARD_PORT: '0',
    TOOLYARD_AGENT_ORIGINS: agentOrigin,
  })
  await server.printed('is running')
  toolyard.url = /Address +(\S+)/.exec(server.out())![1]!
  toolyard.token = readFileSync(join(data, 'sandbox/token'), 'utf8').trim()
  toolyard.board = /Sandbox board +(\S+)/.exec(server.out())![1]!
}

/** Every operation of every node, twice: as it should be used, and wrongly. */
const operations = (type: (name: string) => NodeType): Node[] =>
  steps.flatMap(({ manifest, step, key }) => {
    const name = camelCase(manifest.id)
    const node = (kind: 'right' | 'wrong', input: Record<string, unknown>): Node => ({
      name: `${key} ${kind}`,
      type: `n8n-nodes-toolyard.${name}`,
      parameters: fillIn(
        type(name),
        { resource: camelCase(singular(step.group)), operation: step.id },
        input,
        sandboxFields[key],
      ),
      onError: 'continueRegularOutput',
    })
    return [node('right', rightInputs(key, step)), node('wrong', wrongInput(key, step).input)]
  })

/** Operations of version 2, which workflows that are built from now on use; those above have version 1. */
const records = (type: (name: string) => NodeType): Node[] => {
  const node = (name: string, resource: string, operation: string, values: Record<string, unknown>): Node => ({
    name,
    type: 'n8n-nodes-toolyard.workBoard',
    typeVersion: 2,
    parameters: fillIn(type('workBoard'), { resource, operation }, values, [], 2),
    onError: 'continueRegularOutput',
  })
  const cards = (name: string, values: Record<string, unknown>) =>
    node(name, 'boardAndList', 'get-board-cards', { idBoard: boardId, ...values })
  return [
    cards('All', { returnAll: true }),
    cards('Raw', { returnAll: true, simple: false }),
    cards('Two', { limit: 2 }),
    cards('Chosen', { limit: 1, fields: 'pos' }),
    node('Lists', 'boardAndList', 'get-lists', { idBoard: boardId }),
    node('Created', 'card', 'create-card', { idList: listId.ideas, name: 'In a few fields' }),
    node('Wrong', 'card', 'create-card', { idList: 'not an id', name: 'x' }),
  ]
}

const byId = (card: { id: string }, other: { id: string }) => card.id.localeCompare(other.id)

const boardId = '695b70ac0000000000000008'
const listId = {
  ideas: '695b70ac000000000000000f',
  progress: '695b70ac0000000000000011',
  done: '695b70ac0000000000000015',
}

/** What the test of approvals leaves for the end. */
const agreed = { execution: '', cards: [] as { id: string; name: string }[] }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-n8n-'))
  n8n = await createN8n(join(folder, 'n8n'))
  const built = join(folder, 'package')
  await generate(built, n8nPackage)
  expect(run(built, 'n8n-node', 'build').status).toBe(0)
  installInN8n(built, n8n.folder)
  await serve(n8n.origin)
  // The forms as n8n will show them; what it fills in is checked against them.
  types = manifests.flatMap(({ id }) => describeNode(built, id))
  const typeOf = (name: string) => types.find((type) => type.name === name)!
  const files = join(folder, 'import')
  mkdirSync(files)
  const save = (name: string, content: unknown) => writeFileSync(join(files, name), JSON.stringify(content))
  save('credentials.json', [{ ...credential, type: 'toolyardApi', data: { url: toolyard.url, token: toolyard.token } }])
  save('workflows.json', [
    workflow('operations', manualTrigger, operations(typeOf), fileMaker),
    workflow('moved', triggerOf({ event: 'card-moved', boards: [boardId] }, 'Moved'), [
      { name: 'After', type: 'n8n-nodes-base.noOp', parameters: {} },
    ]),
    workflow('records', manualTrigger, records(typeOf)),
    approvalWorkflow('approved', boardId, 2, longWait),
    approvalWorkflow('denied', boardId, 1, 1),
    picturesWorkflow(),
  ])
  await n8n.command('import:credentials', `--input=${join(files, 'credentials.json')}`)
  await n8n.command('import:workflow', `--input=${join(files, 'workflows.json')}`)
  await n8n.start()
  await n8n.login()
}, 300_000)
afterAll(async () => {
  await n8n?.stop()
  server?.kill('SIGTERM')
  await server?.ended
  rmSync(folder, { recursive: true, force: true })
})

/** The description of a built node, read as n8n reads it. */
const describeNode = (built: string, id: string): NodeType[] => {
  const name = camelCase(id)
  const file = join(
    built,
    `dist/nodes/${name.charAt(0).toUpperCase()}${name.slice(1)}/${name.charAt(0).toUpperCase()}${name.slice(1)}.node.js`,
  )
  const script = `const nodes = require(${JSON.stringify(file)}); console.log(JSON.stringify(Object.values(nodes).map((Node) => new Node().description)))`
  const { status, out } = run(built, process.execPath, '-e', script)
  if (status !== 0) throw new Error(out)
  return JSON.parse(out) as NodeType[]
}

describe('nodes', () => {
  it('are loaded, with a credential that n8n can test', async () => {
    const reply = await fetch(`${n8n.origin}/types/nodes.json`, { headers: { cookie: n8n.cookie() } })
    const loaded = ((await reply.json()) as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('n8n-nodes-toolyard.'))
    const nodes = ['anzData', 'contactData', 'contactDataTrigger', 'workBoard', 'workBoardTrigger']
    // Each can be a tool of an agent, save the triggers.
    expect(loaded.toSorted()).toEqual(
      [...nodes, 'anzDataTool', 'contactDataTool', 'workBoardTool']
        .map((name) => `n8n-nodes-toolyard.${name}`)
        .toSorted(),
    )
    const test = (data: object) =>
      n8n.callRest('/credentials/test', { body: { credentials: { ...credential, type: 'toolyardApi', data } } })
    expect(await test({ url: toolyard.url, token: toolyard.token })).toMatchObject({ status: 'OK' })
    expect(await test({ url: toolyard.url, token: 'wrong' })).toMatchObject({ status: 'Error' })
    expect(await test({ url: `${toolyard.url}/console`, token: toolyard.token })).toMatchObject({ status: 'Error' })
  })
})

/** Changes files of the docs, so only when asked for. */
describe.runIf(process.env['TOOLYARD_PICTURES'] === '1')('pictures', () => {
  it('are taken', () => takePictures(n8n))
})

/** Its execution goes on while the other tests run, over a restart of n8n; see the end. */
describe('an approval', () => {
  type Held = { id: string; state: string; runId: string | null; code: string | null }
  const held = async () => ((await ask('/v1/approvals')) as { items: Held[] }).items
  const statusOf = async (id: string) => ((await n8n.callRest(`/executions/${id}`)) as { status: string }).status
  const decide = (id: string, how: 'approve' | 'deny', body = {}) => ask(`/v1/approvals/${id}/${how}`, 'POST', body)
  const cards = async () => {
    const input = { idBoard: boardId }
    const { output } = await ask('/v1/steps/work-board/get-board-cards/run', 'POST', { input })
    const made = output.cards as { id: string; name: string }[]
    return made.filter(({ name }) => name.startsWith('Agreed')).map(({ id, name }) => ({ id, name }))
  }

  it('is waited for by the execution, with all of its items', async () => {
    const rule = { when: { steps: ['work-board/create-card'], objects: [boardId] }, by: 'caller' }
    const { id: idRule } = await ask('/v1/approval-rules', 'POST', rule)
    agreed.execution = await startManually(n8n, 'approved', 'Start')
    await until('the execution waits', async () => (await statusOf(agreed.execution)) === 'waiting', 30_000)
    expect((await held()).map(({ state }) => state)).toEqual(['open', 'open'])
    expect(await cards()).toEqual([])

    const denied = await startManually(n8n, 'denied', 'Start')
    await until('it is held', async () => (await held()).length === 3, 30_000)
    // The other tests make cards as well.
    await ask(`/v1/approval-rules/${idRule}`, 'DELETE')
    await decide((await held())[0]!.id, 'deny', { reason: 'Not this week.' })
    const { status, resultData } = await finished(n8n, denied)
    expect(status).toBe('error')
    expect(resultData.error!.message).toMatch(/^Create Card .+ was denied; nothing was sent\.$/)
    expect(resultData.error!.description).toMatch(/The reason: Not this week\..*\(approval_denied\)$/)

    for (const { id } of (await held()).slice(1)) await decide(id, 'approve')
    await until('they are sent', async () => (await held()).slice(1).every(({ state }) => state === 'done'), 30_000)
    agreed.cards = await cards()
    expect(agreed.cards.length).toBe(2)
    expect(await statusOf(agreed.execution)).toBe('waiting')
  })
})

describe('operations', () => {
  let ran: Execution
  beforeAll(async () => void (ran = await runManually(n8n, 'operations', 'Start')), 180_000)
  // The other tests find the board as it was.
  afterAll(() => control('reset', {}))
  const outputOf = (name: string) =>
    ran.resultData.runData[name]?.[0]?.data?.main[0]?.[0]?.json as Record<string, unknown> | undefined

  it('run as one workflow', () => expect(ran.status, JSON.stringify(ran.resultData.error)).toBe('success'))
  it.each(steps.map(({ key }) => key))('%s succeeds with a right input', (key) => {
    const output = outputOf(`${key} right`)
    expect(output).toBeDefined()
    expect(output).not.toHaveProperty('sentence')
    expect(Object.keys(output!).length).toBeGreaterThan(0)
  })
  it.each(steps.map(({ key, step }) => [key, step] as const))(
    '%s says what was wrong, with code and remedy',
    (key, step) => {
      expect(outputOf(`${key} wrong`)).toMatchObject({
        code: wrongInput(key, step).code,
        sentence: expect.stringMatching(/[.!?)”"]$/),
        remedy: expect.stringMatching(/\S.*[.)]$/),
      })
    },
  )
})

describe('version 2', () => {
  let ran: Execution
  beforeAll(async () => void (ran = await runManually(n8n, 'records', 'Start')), 180_000)
  afterAll(() => control('reset', {}))
  const itemsOf = (name: string): any[] =>
    ran.resultData.runData[name]![0]!.data!.main[0]!.map(({ json }) => json as unknown)
  const outputOf = async (step: string, input: object) =>
    ((await ask(`/v1/steps/work-board/${step}/run`, 'POST', { input })) as { output: any }).output

  it('gives an item for each record of a list, all of them or as many as the limit says', async () => {
    const { lists } = await outputOf('get-lists', { idBoard: boardId })
    expect(itemsOf('Lists').map(({ id }) => id)).toEqual(lists.map(({ id }: { id: string }) => id))
    expect(itemsOf('All').length).toBeGreaterThan(5)
    expect(itemsOf('Raw').map(({ id }) => id)).toEqual(itemsOf('All').map(({ id }) => id))
    expect(itemsOf('Two')).toEqual(itemsOf('All').slice(0, 2))
  })

  it('gives the fields that matter most, unless everything or some fields are wanted', () => {
    const names = ['id', 'name', 'desc', 'due', 'dueComplete', 'idList', 'idLabels', 'idMembers', 'url']
    expect(names).toEqual(expect.arrayContaining(Object.keys(itemsOf('All')[0])))
    expect(Object.keys(itemsOf('Raw')[0]).length).toBeGreaterThan(10)
    expect(itemsOf('Chosen')).toEqual([expect.objectContaining({ pos: expect.any(Number) })])
    expect(itemsOf('Created')[0]).toMatchObject({ name: 'In a few fields', idList: listId.ideas })
    expect(itemsOf('Created')[0]).not.toHaveProperty('badges')
  })

  it('names the field that is wrong as the form does', () => {
    expect(itemsOf('Wrong')).toEqual([
      expect.objectContaining({
        code: 'invalid_input',
        description: expect.stringMatching(/^'List': .+\. \(invalid_input\)$/),
      }),
    ])
  })

  it('opens without an error before a credential is chosen', async () => {
    const open = (methodName: string, path: string) =>
      n8n.callRest('/dynamic-node-parameters/options', {
        body: {
          nodeTypeAndVersion: { name: 'n8n-nodes-toolyard.workBoardTrigger', version: 1 },
          path,
          methodName,
          currentNodeParameters: { event: 'card-moved' },
        },
      })
    expect(await open('loadConnections', 'connection')).toEqual([{ name: 'Default', value: '' }])
    expect(await open('load_boards', 'boards')).toEqual([])
  })
})

describe('dropdowns', () => {
  const load = (path: string, body: object) =>
    n8n.callRest(`/dynamic-node-parameters/${path}`, {
      body: {
        nodeTypeAndVersion: { name: 'n8n-nodes-toolyard.workBoard', version: 1 },
        credentials: { toolyardApi: credential },
        ...body,
      },
    })
  const card = (values: object = {}) => ({
    currentNodeParameters: { resource: 'card', operation: 'create-card', connection: '', ...values },
  })
  const search = (field: string, values: object = {}, more: object = {}) =>
    load('resource-locator-results', {
      path: field,
      methodName: `search_${field}`,
      ...card(values),
      ...more,
    }) as Promise<{
      results: { name: string; value: string }[]
      paginationToken?: string
    }>
  const chosen = (value: string) => ({ __rl: true, mode: 'list', value })

  it('answer in a chain: connection, board, list, labels', async () => {
    const connections = (await load('options', { path: 'connection', methodName: 'loadConnections', ...card() })) as {
      name: string
    }[]
    expect(connections.map(({ name }) => name)).toEqual(['Default', 'Sandbox board'])
    const boards = await search('idBoard', {}, { filter: 'launch' })
    expect(boards.results).toEqual([{ name: expect.stringMatching(/^Launch plan/), value: boardId }])
    const lists = await search('idList', { idBoard: chosen(boardId) })
    expect(lists.results.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Ideas', 'In progress', 'Review', 'Done']),
    )
    const labels = await load('options', {
      path: 'more.idLabels',
      methodName: 'load_idLabels',
      ...card({ idBoard: chosen(boardId) }),
    })
    expect(labels).toContainEqual(expect.objectContaining({ name: 'Urgent' }))
  })
  it('have pages', async () => {
    for (let index = 0; index < 120; index++)
      await control('createCard', { by: 'odettequill', idList: listId.ideas, name: `Card ${index}` })
    const page = await search('idCardSource', { idBoard: chosen(boardId) })
    expect(page.paginationToken).toEqual(expect.any(String))
    const next = await search('idCardSource', { idBoard: chosen(boardId) }, { paginationToken: page.paginationToken })
    expect(next.results.length).toBeGreaterThan(0)
    const values = [...page.results, ...next.results].map(({ value }) => value)
    expect(new Set(values).size).toBe(values.length)
  })
  it('ask for fields of the account by their types', async () => {
    const currentNodeParameters = {
      resource: 'card',
      operation: 'set-custom-fields',
      connection: '',
      idBoard: chosen(boardId),
    }
    const mapper = { path: 'customFields', methodName: 'map_customFields', currentNodeParameters }
    const { fields } = (await load('resource-mapper-fields', mapper)) as {
      fields: { displayName: string; type: string }[]
    }
    expect(fields.map(({ displayName, type }) => `${displayName}: ${type}`)).toEqual([
      'Points: number',
      'Owner: string',
      'Print date: dateTime',
      'Approved: boolean',
      'Priority: options',
    ])
    const unfilled = { ...mapper, currentNodeParameters: { resource: 'card', operation: 'set-custom-fields' } }
    expect(await load('resource-mapper-fields', unfilled)).toEqual({ fields: [] })
  })
  it('say what to choose first', async () => {
    await expect(search('idCardSource')).rejects.toThrow(/Choose idBoard first/)
  })
})

describe('a trigger', () => {
  let idCard: string
  const move = (idList: string) => control('moveCard', { by: 'odettequill', idCard, idList })
  const subscriptions = async () =>
    (
      (await ask('/v1/subscriptions')) as {
        items: { id: string; externalId: string; state: string; agent: { url: string } }[]
      }
    ).items
  const hooks = async () => (await control('webhooks')) as unknown[]
  const activate = async () => {
    const { versionId } = (await n8n.callRest('/workflows/moved')) as { versionId: string }
    await n8n.callRest('/workflows/moved/activate', { body: { versionId } })
  }
  const starts = async () => ((await ask('/v1/starts')) as { items: { id: string; state: string }[] }).items
  const executions = () => executionsOf(n8n, 'moved')

  it('is subscribed on activation', async () => {
    idCard = (
      (await control('createCard', { by: 'odettequill', idList: listId.ideas, name: 'Travelling' })) as { id: string }
    ).id
    await activate()
    // n8n answers before it has registered the webhook.
    await until('it subscribes', async () => (await subscriptions())[0]?.state === 'active', 30_000)
    const [made, ...others] = await subscriptions()
    expect(others).toEqual([])
    expect(made).toMatchObject({
      externalId: expect.stringMatching(/^n8n:moved:/),
      agent: { url: expect.stringContaining(`${n8n.origin}/webhook/`) },
    })
    expect((await hooks()).length).toBe(1)
  })

  it('runs the workflow once for an event, also when the delivery comes three times and n8n is restarted between', async () => {
    await move(listId.progress)
    await until('the workflow runs', async () => (await executions()).length === 1, 30_000)
    const [start_] = await starts()
    await until('the start ends', async () => (await starts())[0]?.state === 'done', 30_000)
    const execution = await finished(n8n, (await executions())[0]!.id)
    expect(execution).toMatchObject({ status: 'success', mode: 'webhook' })
    const item = execution.resultData.runData['Moved']![0]!.data!.main[0]![0]!.json
    expect(item).toMatchObject({
      type: 'work-board.card-moved',
      start: start_!.id,
      event: { card: { id: idCard }, to: { list: { id: listId.progress } } },
    })

    type Answered = { state: string; answer: { at: string } }
    const again = async () => {
      const before = (await ask(`/v1/starts/${start_!.id}`)) as Answered
      await ask(`/v1/starts/${start_!.id}/replay`, 'POST', {})
      await until('it is delivered again', async () => {
        const { answer, state } = (await ask(`/v1/starts/${start_!.id}`)) as Answered
        return answer?.at !== before.answer.at && state === 'done'
      })
    }
    await again()
    await n8n.stop('SIGKILL')
    await n8n.start()
    await n8n.login()
    await again()
    // The provider repeats itself too.
    for (const { n } of (await control('deliveries')) as { n: number }[]) await control('redeliver', { n })
    expect((await executions()).length).toBe(1)
    expect((await subscriptions()).length).toBe(1)

    await move(listId.done)
    await until('the next event runs it again', async () => (await executions()).length === 2, 30_000)
  })

  it('refuses what is not signed', async () => {
    const { agent } = (await subscriptions())[0]!
    const forged = {
      'content-type': 'application/json',
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    }
    expect((await fetch(agent.url, { method: 'POST', headers: forged, body: '{}' })).status).toBe(401)
    expect(
      (await fetch(agent.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
    ).toBe(401)
    expect((await executions()).length).toBe(2)
  })

  it('tests with the newest event, on a subscription that ends with the test', async () => {
    const waiting = (await n8n.callRest('/workflows/moved/run', {
      body: { triggerToStartFrom: { name: 'Moved' } },
    })) as { waitingForWebhook?: boolean }
    expect(waiting).toMatchObject({ waitingForWebhook: true })
    await until('the sample runs it', async () => (await executions()).length === 3, 30_000)
    const [newest] = await executions()
    expect(newest).toMatchObject({ mode: 'manual' })
    const { resultData } = await finished(n8n, newest!.id)
    expect(resultData.runData['Moved']![0]!.data!.main[0]![0]!.json).toMatchObject({
      type: 'work-board.card-moved',
      test: true,
      event: { card: { id: idCard } },
    })
    await until('its subscription is removed', async () => (await subscriptions()).length === 1)
  })

  it('leaves no hook after deactivation', async () => {
    await n8n.callRest('/workflows/moved/deactivate', { method: 'POST' })
    await until('the subscription is removed', async () => (await subscriptions()).length === 0, 30_000)
    await until('the hook at the board is removed', async () => (await hooks()).length === 0, 30_000)
    await move(listId.ideas)
    expect((await executions()).length).toBe(3)
  })
})

describe('an execution that waited for approvals', () => {
  it('goes on with the outcome of each item, and sends nothing twice', async () => {
    const { status, resultData } = await finished(n8n, agreed.execution)
    expect(status, JSON.stringify(resultData.error)).toBe('success')
    const done = resultData.runData['Done']!.flatMap(({ data }) => data!.main[0]!.map(({ json }) => json))
    expect(done.map(({ id, name }) => ({ id, name })).toSorted(byId)).toEqual(agreed.cards.toSorted(byId))
    // Nothing was held a second time, and no card was made without being held.
    const { items } = (await ask('/v1/approvals')) as { items: { runId: string | null }[] }
    expect(items.length).toBe(3)
    const { output } = await ask('/v1/steps/work-board/get-board-cards/run', 'POST', { input: { idBoard: boardId } })
    expect(output.cards.filter(({ name }: { name: string }) => name.startsWith('Agreed'))).toEqual([])
  })
})

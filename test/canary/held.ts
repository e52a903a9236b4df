import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { CanaryWorld } from './world.ts'
import { kindsOf, marker } from './story.ts'

/**
 * Runs that wait for a decision: one is denied, one stays, the others are approved and sent to a provider that gives the
 * token back. What they were called with, and why one was denied, is for whoever calls and decides alone.
 */
export const holdRuns = async ({ ask, command, secrets, sandbox, token }: CanaryWorld) => {
  const sign = (head: string) => `${head}-${randomBytes(18).toString('hex')}+/=&"\\${randomBytes(6).toString('hex')}`
  const [content, reason, email] = [sign('held'), sign('reason'), `held-${randomBytes(18).toString('hex')}@example.com`]
  secrets.set('input of a held run', content).set('reason of a denial', reason).set('person of a held run', email)
  const shown = [content, reason, email]
  const { json: caller } = await ask('POST /v1/admin/tokens', {
    body: { name: 'Has to ask', scopes: ['run'] },
    shows: ({ text }) => [text],
  })
  secrets.set('bearer token of whoever has to ask', caller.text)
  const { json: rule } = await ask('POST /v1/approval-rules', { body: { when: { tokens: [caller.token.id] } } })
  await ask('PATCH /v1/approval-rules/:id', { params: { id: rule.id }, body: { expiresMinutes: 60 } })
  await ask('GET /v1/approval-rules/:id', { params: { id: rule.id } })
  await ask('GET /v1/approval-rules')

  const idBoard = [...sandbox.board.state.boards.keys()][0]!
  const make = (name: string, as = caller.text) =>
    ask('POST /v1/steps/:integration/:step/run', {
      params: { integration: 'work-board', step: 'create-list' },
      token: as,
      body: { connection: marker, input: { idBoard, name } },
      // Whoever calls is told why it was denied.
      shows: (json) => (json?.code === 'approval_denied' ? [reason] : []),
    })
  const look = () =>
    ask('POST /v1/lookups/:kind', {
      params: { kind: 'person' },
      token: caller.text,
      body: {
        identifiers: { email },
        want: ['fullName'],
        providers: [{ integration: 'contact-data', connection: marker }],
        maxAge: 0,
      },
    })
  const get = async (id: string) => (await ask('GET /v1/approvals/:id', { params: { id }, shown })).json
  const idIn = ({ json }: Awaited<ReturnType<typeof make>>) => json.approval?.id as string
  const states: string[] = []
  const send = async (id: string) => {
    await ask('POST /v1/approvals/:id/approve', { params: { id }, body: { more: content } })
    await ask('POST /v1/approvals/:id/approve', { params: { id }, body: {}, shown })
    for (let n = 0; n < 300 && ['approved', 'sending'].includes((await get(id)).state); n += 1) await wait(50)
    const { state, code } = await get(id)
    states.push(`${state} ${code}`)
  }

  const { control } = sandbox.board
  for (const { name, fault } of kindsOf([token]).filter(({ isSlow }) => !isSlow)) {
    const id = idIn(await make(`${content} ${name}`))
    control.fault(fault)
    await send(id)
    control.clearFaults()
    await make(`${content} ${name}`)
  }
  const lookupId = idIn(await look())
  await send(lookupId)
  const answer = await look()

  const denialId = idIn(await make(content))
  const deny = { params: { id: denialId } }
  await ask('POST /v1/approvals/:id/deny', { ...deny, body: { reason: [reason] } })
  await ask('POST /v1/approvals/:id/deny', { ...deny, raw: `{"reason":"${reason}` })
  await ask('POST /v1/approvals/:id/deny', { ...deny, token: caller.text, body: { reason: reason.repeat(20) } })
  await ask('POST /v1/approvals/:id/deny', { ...deny, body: { reason }, shown })
  const denial = (await make(content)).json.code
  const open = idIn(await make(`${content} open`))
  // The list says in a sentence what each would do, to those who may decide or have asked.
  for (const query of ['', '?state=open']) await ask('GET /v1/approvals', { query, shown: [content] })
  await ask('GET /v1/approvals', { query: `?state=${encodeURIComponent(content)}` })
  await command(['approvals', 'list'])
  await command(['approvals', 'get', open], { shows: () => shown })
  return { states, lookup: answer.status, denial, open: (await get(open)).state }
}

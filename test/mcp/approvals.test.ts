import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientCapabilities } from '@modelcontextprotocol/client'
import { beforeEach, describe, expect, it } from 'vitest'
import { toFailureJson, fail } from '#kit'
import { failureResult } from '../../shared/faces/mcp/failure.ts'
import { expiresAt, heldId, heldRun, heldUrl, holdRuns } from '../support/held-runs.ts'
import { call, eras, failureOf, newClient, openMcpWorld, textOf } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'

type Form = { message: string; requestedSchema: { properties: Record<string, { enum?: string[] }> } }
type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> }

const held = holdRuns({ polls: 2 })
const world = await openMcpWorld({ change: held.change })
const ofOthers = holdRuns({ held: heldRun({ by: 'others' }) })
const others = await openMcpWorld({ change: ofOthers.change })
beforeEach(() => {
  held.reset()
  ofOthers.reset()
})

const idBoard = async () => {
  const { json } = await world.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })
  return json.output.boards[0].id as string
}

/** Calls the tool of the held step from a host whose user answers forms. */
const callFrom = async (
  era: Era,
  answer: Answer,
  {
    capabilities = { elicitation: { form: {} } },
    at = world,
  }: { capabilities?: ClientCapabilities; at?: typeof world } = {},
) => {
  const client = newClient(era, capabilities)
  const forms: Form[] = []
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      forms.push(params as unknown as Form)
      return answer
    })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', at.address), {
      requestInit: { headers: { authorization: `Bearer ${at.token}` } },
    }),
  )
  const result = await call(client, 'work_board_create_list', { idBoard: await idBoard(), name: 'Press' })
  await client.close()
  return { result, forms }
}
const approves: Answer = { action: 'accept', content: { decision: 'approve' } }
const decisions = () => held.calls.map(([verb]) => verb)

describe.each(eras)('a held run (%s)', (era) => {
  it('is put to the user as a form, and goes on to its outcome once approved', async () => {
    const { result, forms } = await callFrom(era, approves)
    expect([result.isError ?? false, result.structuredContent]).toMatchObject([false, { name: 'Press' }])
    expect(forms).toHaveLength(1)
    expect(forms[0]!.message).toMatch(
      /^Create List with the account "Launch": \{"name":"Press"\}\. It may cost up to 3 credits\. It sends POST \S+\/1\/lists\. Later/,
    )
    expect(forms[0]!.requestedSchema.properties['decision']!.enum).toEqual(['approve', 'deny'])
    expect(decisions()).toEqual(['approve'])
  })

  it.each<Answer>([{ action: 'accept', content: { decision: 'deny' } }, { action: 'decline' }, { action: 'cancel' }])(
    'is denied by %j',
    async (answer) => {
      const { result, forms } = await callFrom(era, answer)
      expect([forms.length, failureOf(result).code]).toEqual([1, 'approval_denied'])
      expect(decisions()).toEqual(['deny'])
    },
  )

  it('is told of where the host shows no forms', async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const { result, forms } = await callFrom(era, approves, { capabilities })
      expect([forms.length, decisions()]).toEqual([0, []])
      expect(failureOf(result)).toMatchObject({ code: 'approval_pending', approval: heldRun() })
      expect(textOf(result)).toContain(`a decision at ${heldUrl} until ${expiresAt}; call the tool again`)
      expect(textOf(result)).toContain('The user may decide it there.')
    }
  })

  it('is put to nobody who may not decide it', async () => {
    const { result, forms } = await callFrom(era, approves, { at: others })
    expect([forms.length, failureOf(result).code]).toEqual([0, 'approval_pending'])
    expect(textOf(result)).not.toContain('The user may decide')
    expect(ofOthers.calls).toEqual([])
  })
})

it('an older client that names no mode of elicitation shows forms', async () => {
  const { forms } = await callFrom('2025-11-25', approves, { capabilities: { elicitation: {} } })
  expect([forms.length, decisions()]).toEqual([1, ['approve']])
})

it('a held run without an address is told of without one', () => {
  const { url: _, ...approval } = heldRun()
  const result = failureResult(toFailureJson(fail('approval_pending', 'It waits.', { approval })))
  expect(result.content).toMatchObject([
    {
      text: `approval_pending: It waits.\nNothing was sent. Tell the user that this waits for a decision until ${expiresAt}; call the tool again with the same arguments to learn the outcome. The user may decide it.`,
    },
  ])
  expect(result._meta!['toolyard/failure']).toMatchObject({ approval: { id: heldId } })
})

import { describe, expect, it } from 'vitest'
import { approver } from '../approvals/world.ts'
import { openN8nWorld } from './n8n-world.ts'

const world = await openN8nWorld()
const { pack, runNode, until, writes, clock, forget } = world
await world.rule({ expiresMinutes: 60 })

const cardNamed = (name: string) => ({ json: { idList: world.ids.list('Ideas'), name } })
const idIn = (item: { json: Record<string, any> } | undefined): string => item!.json['approval'].id
/** How often something was sent, and how often somebody was asked. */
const counts = async () => [writes().length, (await pack.approvals.list(approver, { limit: 100 })).items.length]

/** The first run of a node in an execution, in which its item is held. */
const hold = async (name: string) => {
  const context = {}
  const [, [item] = []] = await runNode([cardNamed(name)], { context })
  return { context, item: item!, id: idIn(item) }
}
const approve = async (id: string) => {
  await pack.approvals.approve(approver, id)
  return until(id)
}

const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => expect.fail('it succeeded'),
    ({ message, description }: any) => `${message} ${description}`,
  )

describe('a node of n8n that waits for an approval', () => {
  it('gives the outcome of what was approved, also in the execution that retries a failed one', async () => {
    const { context, item, id } = await hold('Retried')
    const [none, [again] = []] = await runNode([item], { context, runIndex: 1 })
    expect([none, idIn(again)]).toEqual([[], id])
    await approve(id)
    const before = await counts()
    await expect(runNode([again!, cardNamed('')], { context, runIndex: 2 })).rejects.toThrow()
    const retried = await runNode([again!], { context, runIndex: 2, execution: '2' })
    expect(retried).toMatchObject([[{ json: { name: 'Retried' } }], []])
    expect(await counts()).toEqual(before)
  })

  it('holds an item once, also when another item makes its run fail and n8n repeats it', async () => {
    const context = {}
    await expect(runNode([cardNamed('First'), cardNamed('')], { context })).rejects.toThrow()
    const before = await counts()
    // An expression with a time in it gives another value.
    const [, [item] = []] = await runNode([cardNamed('First, later')], { context, execution: '2' })
    expect(await counts()).toEqual(before)
    // The next run of the node has items of its own.
    const [, [other] = []] = await runNode([cardNamed('Other')], { context, runIndex: 1, execution: '2' })
    expect(idIn(other)).not.toBe(idIn(item))
    await approve(idIn(item))
    const done = await runNode([item!], { context, runIndex: 2, execution: '2' })
    expect(done).toMatchObject([[{ json: { name: 'First' } }], []])
  })

  it('holds an item with a file once, also when n8n repeats a run of which it knows nothing', async () => {
    const card = { json: { ...cardNamed('With a file').json, file: 'data' } }
    const repeats = []
    for (const context of [{}, {}]) repeats.push((await runNode([card], { context, execution: '7' }))[1]![0])
    expect(idIn(repeats[0])).toBe(idIn(repeats[1]))
  })

  it('fails when nobody decided in time, and asks nobody again', async () => {
    const { context, item } = await hold('Late')
    const before = await counts()
    clock.advance(61 * 60_000)
    for (const execution of ['1', '1', '2'])
      expect(await failureOf(runNode([item], { context, runIndex: 1, execution }))).toMatch(
        /^Create Card .+ was not sent\. Nobody .+ Start the workflow again .+\(approval_expired\)$/,
      )
    expect(await counts()).toEqual(before)
  })

  it('stays with the failure of what was approved, and asks nobody again', async () => {
    const { context, item, id } = await hold('Unconnected')
    const { control } = world.sandbox.board
    control.fault({ match: { method: 'POST', path: '/1/cards' }, answer: { status: 401, body: 'invalid token' } })
    await approve(id)
    const before = await counts()
    const failures = []
    for (const execution of ['1', '1', '2'])
      failures.push(await failureOf(runNode([item], { context, runIndex: 1, execution })))
    expect(failures[0]).toMatch(/credential\. Reconnect .+\(not_connected\)$/)
    expect(new Set(failures).size).toBe(1)
    expect(await counts()).toEqual(before)
  })

  it('fails when it was denied, with the reason', async () => {
    const { context, item, id } = await hold('Denied')
    await pack.approvals.deny(approver, id, { reason: 'Not now.' })
    const failure = () => failureOf(runNode([item], { context, runIndex: 1 }))
    for (let tries = 0; tries < 2; tries += 1)
      expect(await failure()).toMatch(/was denied; nothing was sent\. The reason: Not now\. \(approval_denied\)$/)
    await forget()
    expect(await failure()).toMatch(/was denied; nothing was sent\. .+ \(approval_denied\)$/)
  })

  it('sends nothing again when the outcome is not stored any more', async () => {
    const { context, item, id } = await hold('Forgotten')
    await approve(id)
    await forget()
    const before = await counts()
    expect(await failureOf(runNode([item], { context, runIndex: 1 }))).toMatch(
      /does not know any more .+ Look at the provider before .+\(conflict\)$/,
    )
    expect(await counts()).toEqual(before)
  })

  it('keeps no call whose item has left, and refuses that item', async () => {
    const { context, item, id } = await hold('Left')
    expect(JSON.stringify(context)).toContain('Left')
    await approve(id)
    await runNode([item], { context, runIndex: 1 })
    expect(JSON.stringify(context)).not.toContain('Left')
    const before = await counts()
    expect(await failureOf(runNode([item], { context, runIndex: 2 }))).toMatch(/has left this node by "Done" already\./)
    expect(await counts()).toEqual(before)
  })
})

it('a node of n8n that cannot wait names the option that can', async () => {
  const failure = await failureOf(runNode([cardNamed('Fails')], {}, { waitForApproval: false }))
  expect(failure).toMatch(/Nothing was sent\. It can be decided until .+ switch on "Wait for Approval".+_pending\)$/)
  expect(failure).not.toContain('run it again')
})

import { describe, expect, it } from 'vitest'
import { approver } from '../approvals/world.ts'
import { openN8nWorld } from './n8n-world.ts'

const world = await openN8nWorld()
const { pack, runNode, until, writes } = world
await world.rule({ expiresMinutes: 60 })

const cardNamed = (name: string) => ({ json: { idList: world.ids.list('Ideas'), name } })
const idIn = (item: { json: Record<string, any> } | undefined): string => item!.json['approval'].id
const heldRuns = async () => (await pack.approvals.list(approver, { limit: 100 })).items.length

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

describe('a node of n8n that waits for an approval', () => {
  it('gives the outcome of what was approved, also in the execution that retries a failed one', async () => {
    const { context, item, id } = await hold('Retried')
    const [none, [again] = []] = await runNode([item], { context, runIndex: 1 })
    expect([none, idIn(again)]).toEqual([[], id])
    await approve(id)
    const before = [writes().length, await heldRuns()]
    const failing = cardNamed('')
    await expect(runNode([again!, failing], { context, runIndex: 2 })).rejects.toThrow()
    const retried = await runNode([again!], { context, runIndex: 2, execution: '2' })
    expect(retried).toMatchObject([[{ json: { name: 'Retried' } }], []])
    expect([writes().length, await heldRuns()]).toEqual(before)
  })
})

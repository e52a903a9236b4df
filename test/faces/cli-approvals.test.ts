import { beforeEach, describe, expect, it } from 'vitest'
import { failures } from '#kit'
import { runLine } from '../support/command-line.ts'
import { heldId, heldStep, heldUrl, holdRuns } from '../support/held-runs.ts'
import { openHttpWorld } from '../support/http-world.ts'

const held = holdRuns()
const face = await openHttpWorld()
const pack = held.change(face.pack)
beforeEach(held.reset)

const command = (...argv: string[]) => runLine(argv, { pack, self: 'npx toolyard' })
const run = ['run', 'work-board', heldStep, '-f', `idBoard=${'f'.repeat(24)}`, '-f', 'name=Press']

describe('a held run at the command line', () => {
  it('says until when it waits, where it is decided, and how to approve it', async () => {
    const { code, err } = await command(...run)
    expect(code).toBe(failures.approval_pending.exit)
    expect(err).toContain(`waits for a decision until 2027-03-02 10:00 UTC (${heldId}).`)
    expect(err).toContain(`Decide it at: ${heldUrl}\n`)
    expect(err).toContain(`Approve it with: npx toolyard approvals approve ${heldId}\n`)
    expect(JSON.parse((await command(...run, '--json')).err)).toMatchObject({ approval: { id: heldId } })
  })

  it('is listed, shown, and decided, also by the start of its id', async () => {
    expect((await command('approvals', 'list')).out).toMatch(new RegExp(`${heldId} +open +work-board ${heldStep} +3 `))
    expect(JSON.parse((await command('approvals', 'get', 'apr_h')).out)).toMatchObject({ id: heldId, complete: false })
    expect((await command('approvals', 'approve', heldId, '--max-credits', '2')).out).toMatch(
      /^Approved: Create List .*npx toolyard approvals get apr_held/,
    )
    expect((await command('approvals', 'deny', heldId, '--reason', 'Not now')).out).toMatch(
      /^Denied, and nothing is sent: Create List/,
    )
    expect(held.calls.filter(([verb]) => verb !== 'list')).toEqual([
      ['approve', heldId, { maxCredits: 2 }],
      ['deny', heldId, { reason: 'Not now' }],
    ])
  })
})

describe('approval rules at the command line', () => {
  it('have every condition and every decider as an option', async () => {
    const { code, out } = await command(
      'approval-rules',
      'create',
      '--name',
      'Costly',
      '-i',
      'work-board',
      '--step',
      'work-board/create-list',
      '--tool-set',
      'core',
      '--effect',
      'create',
      '--effect',
      'delete',
      '--credits-over',
      '0',
      '--object',
      'b1',
      '-c',
      'con_1',
      '--token',
      'tok_1',
      '--for-person',
      'anna',
      '--by-person',
      'ben',
      '--by-token',
      'tok_2',
      '--expires-minutes',
      '30',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^Rule rule_1 holds integrations: work-board; .*Who decides: person ben, token tok_2\.\n$/)
    expect(held.calls).toEqual([
      [
        'create',
        {
          name: 'Costly',
          when: {
            integrations: ['work-board'],
            steps: ['work-board/create-list'],
            toolSets: ['core'],
            effects: ['create', 'delete'],
            creditsOver: 0,
            objects: ['b1'],
            connections: ['con_1'],
            tokens: ['tok_1'],
            people: ['anna'],
          },
          by: { people: ['ben'], tokens: ['tok_2'] },
          expiresMinutes: 30,
        },
      ],
    ])
  })

  it('hold everything without a condition', async () => {
    expect((await command('approval-rules', 'create')).out).toContain('everything that changes or costs something')
    expect(held.calls).toEqual([['create', { when: {}, by: 'approvers', expiresMinutes: 1440 }]])
  })

  it('are listed, changed in what is named, and deleted', async () => {
    expect((await command('approval-rules', 'list')).out).toMatch(/rule_1 +workspace +approvers +1440 min +everything/)
    expect(JSON.parse((await command('approval-rules', 'get', 'rule_2')).out)).toMatchObject({ id: 'rule_2' })
    await command('approval-rules', 'change', 'rule_2', '--by', 'caller')
    await command('approval-rules', 'change', 'rule_2', '--any-run', '--name', '')
    await command('approval-rules', 'delete', 'rule_2')
    expect(held.calls).toEqual([
      ['patch', 'rule_2', { by: 'caller' }],
      ['patch', 'rule_2', { name: null, when: {} }],
      ['remove', 'rule_2'],
    ])
  })

  it.each([
    [['create', '--effect', 'wipe'], /"wipe" is not an effect\. Effects: read, create, update, delete\./],
    [['create', '--by', 'caller', '--by-person', 'anna'], /not by both/],
    [['create', '--by', 'anybody'], /Allowed choices are caller, approvers/],
    [['change', 'rule_2'], /Nothing to change/],
    [['change', 'rule_2', '--any-run', '--object', 'b1'], /cannot go with one/],
  ])('refuse %j', async (argv, words) => {
    const { code, err } = await command('approval-rules', ...argv)
    expect([code, err]).toEqual([failures.invalid_input.exit, expect.stringMatching(words)])
    expect(held.calls).toEqual([])
  })
})

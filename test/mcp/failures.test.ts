import { afterEach, describe, expect, it } from 'vitest'
import { fail, failures, toFailureJson } from '#kit'
import type { FailureCode } from '#kit'
import { failureResult } from '../../shared/faces/mcp/failure.ts'
import { call, eras, failureOf, openMcpWorld, textOf, withClient } from '../support/mcp-world.ts'
import type { Result } from '../support/mcp-world.ts'

const world = await openMcpWorld()
afterEach(() => {
  world.sandbox.board.control.clearFaults()
  world.sandbox.contact.control.reset()
})

/** What must not reach a model: addresses, headers, stacks, secrets. */
const expectSafe = (result: Result) => {
  const all = JSON.stringify(result)
  expect(all).not.toMatch(/https?:\/\/|127\.0\.0\.1|\bat \/|node_modules|authorization|x-api-key|set-cookie|stack/i)
  for (const secret of Object.values(world.sandbox.board.credentials))
    if (typeof secret === 'string' && secret.length > 8) expect(all).not.toContain(secret)
}

describe.each(eras)('a failed run is a result to read (%s)', (era) => {
  const runs = (name: string, args: Record<string, unknown>) =>
    withClient(world, era, (client) => call(client, name, args))
  const expectFailure = (result: Result, code: FailureCode, words: RegExp, more: Record<string, unknown> = {}) => {
    expect(failureOf(result).code).toBe(code)
    expect(failureOf(result)).toMatchObject({ actor: failures[code].actor, retryable: expect.any(Boolean), ...more })
    expect(textOf(result)).toMatch(new RegExp(`^${code}: .*${words.source}`, 's'))
    expectSafe(result)
  }

  it('a wrong field, named with the remedy', async () => {
    expectFailure(await runs('work_board_get_card', { idCard: 'no such form' }), 'invalid_input', /is not a card id/, {
      errors: [{ pointer: '/idCard', message: expect.any(String) }],
    })
    expectFailure(
      await runs('contact_data_find_contact', { firstName: 'Gwen' }),
      'invalid_input',
      /at least one of: email/,
    )
    expectFailure(
      await runs('work_board_get_card', { idCard: 'f'.repeat(24), colour: 'red' }),
      'invalid_input',
      /"colour" is not a field/,
    )
    expectFailure(
      await runs('work_board_get_boards', { maxBytes: 17 }),
      'invalid_input',
      /"maxBytes" must be a whole number/,
    )
    expectFailure(await runs('work_board_get_boards', { from: -1 }), 'invalid_input', /"from" must be/)
    expectFailure(await runs('work_board_get_boards', { connection: 17 }), 'invalid_input', /"connection"/)
    // Where a tool does not take them they are fields like any other.
    expectFailure(
      await runs('work_board_create_list', { idBoard: 'f'.repeat(24), name: 'x', maxBytes: 5000 }),
      'invalid_input',
      /"maxBytes" is not a field/,
    )
  })

  it('a thing that is not there', async () =>
    expectFailure(await runs('work_board_get_card', { idCard: 'f'.repeat(24) }), 'not_found', /./, {
      providerStatus: 404,
    }))

  it('an account that is not there', async () =>
    expectFailure(
      await runs('work_board_get_boards', { connection: 'Nobody' }),
      'not_found',
      /There is no work-board connection "Nobody"/,
    ))

  it('a provider that fails, whatever it writes about itself', async () => {
    const body =
      'Traceback: see https://internal.board.example/debug?key=0123456789abcdef0123456789abcdef\nAuthorization: OAuth oauth_token="abc"'
    world.sandbox.board.control.fault({
      match: { path: '/1/members/me/boards' },
      times: 9,
      answer: { status: 400, headers: { 'content-type': 'text/plain' }, body },
    })
    const result = await runs('work_board_get_boards', {})
    expect(failureOf(result).code).toBe('rejected')
    expect(JSON.stringify(result)).not.toMatch(/https?:\/\//)
  })

  it('a limit, with the time to wait', async () => {
    world.sandbox.contact.control.inject({
      times: 99,
      answer: { status: 429, headers: { 'retry-after': '900' }, body: { error: 'Slow down' } },
    })
    const result = await runs('contact_data_find_company', { domain: 'wattle.example' })
    expectFailure(result, 'rate_limited', /Try again after (8|9)\d\d(\.\d)? s\./, {
      retryable: true,
      retryAfterMs: expect.any(Number),
    })
  })

  it('an outcome that nobody knows', async () => {
    const { boards } = (await runs('work_board_get_boards', { lists: 'open' })).structuredContent!
    world.sandbox.board.control.fault({ match: { method: 'POST', path: '/1/cards' }, cut: 'reset', when: 'after' })
    expectFailure(
      await runs('work_board_create_card', { idList: boards[0].lists[0].id, name: `Once ${era}` }),
      'outcome_unknown',
      /may have happened/,
      {
        retryable: false,
      },
    )
  })

  it('a tool that is not there is a mistake of the protocol', () =>
    withClient(world, era, async (client) => {
      await expect(call(client, 'work_board_fly')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('There is no tool "work_board_fly" here.'),
      })
    }))
})

it.each(eras)('a defect of ours shows nothing of itself (%s)', async (era) => {
  const broken = await openMcpWorld({
    accounts: 'none',
    change: (pack) => ({
      ...pack,
      steps: { ...pack.steps, run: () => Promise.reject(new Error('password is swordfish at https://db.example')) },
    }),
  })
  const result = await withClient(broken, era, (client) => call(client, 'work_board_get_boards'))
  expect(failureOf(result)).toMatchObject({ code: 'internal' })
  expect(JSON.stringify(result)).not.toMatch(/swordfish|db\.example|Error:/)
  expect(broken.lines.find(({ event }) => event === 'mcp.defect')).toMatchObject({
    tool: 'work_board_get_boards',
    error: 'Error',
  })
  expect(JSON.stringify(broken.lines)).not.toContain('swordfish')
  await broken.close()
})

const described = (code: FailureCode) =>
  fail(code, 'It did not work. See https://api.board.example/1/x?key=1 for more.', {
    providerMessage: 'Bad\u200b thing at http://x.example/y',
    connectUrl: 'https://us.example/connect/1',
    retryAfterMs: 2300,
    errors: [
      { pointer: '/name', message: 'It did not work.' },
      { pointer: '/due', message: 'Give a day that exists.' },
    ],
  })

describe.each(Object.keys(failures) as FailureCode[])('a failure with the code %s', (code) => {
  const failure = toFailureJson(described(code))

  it('has its message, its remedies and no address', () => {
    const result = failureResult(failure, { runId: 'r1' }) as unknown as Result
    expect(textOf(result).split('\n')).toEqual([
      `${code}: It did not work. See … for more.`,
      '/due: Give a day that exists.',
      'Try again after 2.3 s.',
      'The provider said (untrusted text): Bad thing at …',
      ...(failures[code].actor === 'us' ? ['The operator can find details under run r1.'] : []),
    ])
    expect(JSON.stringify(result)).not.toContain('http')
    const linked = failureResult(failure, { connectUrl: 'https://us.example/connect/1' }) as unknown as Result
    expect(textOf(linked)).toContain('call again: https://us.example/connect/1')
  })

  it('has no structured content, which clients would hold to the output schema of the tool; programs read it in _meta', () => {
    const result = failureResult(failure, { runId: 'r1' })
    expect(Object.keys(result).toSorted()).toEqual(['_meta', 'content', 'isError'])
    expect(result._meta!['toolyard/failure']).toMatchObject({
      code,
      actor: failures[code].actor,
      retryable: failures[code].retryable,
      retryAfterMs: 2300,
      runId: 'r1',
    })
  })
})

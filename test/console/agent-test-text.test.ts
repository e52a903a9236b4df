/** What the console says of a test of an agent. */
import { expect, it } from 'vitest'
import { agentTestText } from '../../shared/faces/console/pages/triggers/agent-test-text.ts'

const tested = {
  id: 'test_1',
  ok: true,
  status: 200,
  message: null,
  remedy: null,
  signedWith: 'made',
  durationMs: 12,
} as const

it('is the status, or why there was no answer, and what to do', () => {
  expect(agentTestText(tested)).toBe('The agent answered 200 in 12 ms.')
  expect(agentTestText({ ...tested, ok: false, status: 404, remedy: 'Correct the address.' })).toBe(
    'The agent answered 404 in 12 ms. Correct the address.',
  )
  expect(
    agentTestText({ ...tested, ok: false, status: null, message: 'It refused the connection.', remedy: 'Start it.' }),
  ).toBe('It refused the connection. Start it.')
})

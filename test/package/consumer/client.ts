// Compiled, not run. Each line after an expected error is wrong in one thing alone.
import { createClient } from 'toolyard/client'
import type { Answer, FailureCode, Input, Result } from 'toolyard/client'

const client = createClient({ address: 'https://toolyard.example', token: 'a' })

export const use = async (): Promise<void> => {
  const made = await client.run({
    integration: 'work-board',
    step: 'create-card',
    input: { idList: 'a', name: 'Press kit' },
    person: 'person-3',
    idempotencyKey: 'a',
  })
  if (made.ok) {
    const id: string = made.value.id
    // @ts-expect-error a text
    const wrong: number = made.value.id
    console.log(id, wrong, made.meta.attempts)
  } else {
    const code: FailureCode = made.failure.code
    console.log(code, made.meta.runId)
  }
  // @ts-expect-error no such field
  await client.run({ integration: 'work-board', step: 'create-card', input: { idList: 'a', nom: 'Press kit' } })
  await client.run({ integration: 'issue-desk', step: 'list-issues', input: { anything: true } })

  const runs: Result<Answer<'listRuns'>> = await client.call('listRuns', { state: 'done', person: 'person-3' })
  if (runs.ok) console.log(runs.value.items.map(({ state, credits }) => `${state} ${credits.toFixed()}`))
  const input: Input<'authorizeConnection'> = { integrations: ['work-board'], person: 'person-3' }
  const link = await client.call('authorizeConnection', input)
  if (link.ok) console.log(link.value.url.length)
  const begun = await client.call('runStep', { integration: 'a', step: 'b' }, { background: true, idempotencyKey: 'a' })
  if (begun.ok && 'runId' in begun.value) console.log(begun.value.runId)
  const file = await client.call('downloadFile', { id: 'a' })
  if (file.ok) console.log(await file.value.text())
  // @ts-expect-error an id is missing
  await client.call('getRun', {})
  // @ts-expect-error no such operation
  await client.call('readRuns')
  // @ts-expect-error the operation has no idempotency key
  await client.call('cancelRun', { id: 'a' }, { idempotencyKey: 'a' })
}

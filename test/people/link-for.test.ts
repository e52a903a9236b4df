import { expect, it } from 'vitest'
import { createLinkFor } from '../../shared/runtime/people/link-for.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'

const openLinks = () => {
  let now = 0
  let count = 0
  const opened = new Set<string>()
  const linkFor = createLinkFor(
    async (_, integration) => {
      count += 1
      return integration === 'closed' ? undefined : { url: `https://tools.example/${count}`, state: `s${count}` }
    },
    { clock: { monotonic: () => now }, isUnopened: async (state) => !opened.has(state) },
  )
  return { linkFor, opened, count: () => count, moveOn: (ms: number) => void (now += ms) }
}
const ann: Caller = { tenant: 't', person: 'ann', token: 'tok', scopes: ['run'] }

it('calls that fail shortly after each other get the same link, until it is old or was opened', async () => {
  const { linkFor, opened, moveOn } = openLinks()
  const [first, second] = await Promise.all([linkFor(ann, 'board'), linkFor(ann, 'board')])
  expect([first, second]).toEqual(['https://tools.example/1', 'https://tools.example/1'])
  opened.add('s1')
  expect(await linkFor(ann, 'board')).toBe('https://tools.example/2')
  moveOn(120_000)
  expect(await linkFor(ann, 'board')).toBe('https://tools.example/3')
})

it.each<[string, Caller]>([
  ['of another tenant', { ...ann, tenant: 'u' }],
  ['for another person', { ...ann, person: 'bea' }],
  ['by another token', { ...ann, token: 'other' }],
  ['with other scopes', { ...ann, scopes: ['subscriptions'] }],
  ['with other connections', { ...ann, connections: ['c1'] }],
])('a call %s gets another link', async (_, other) => {
  const { linkFor } = openLinks()
  expect(await linkFor(ann, 'board')).not.toBe(await linkFor(other, 'board'))
})

it('where there is no link, the next call tries again', async () => {
  const { linkFor, count } = openLinks()
  expect([await linkFor(ann, 'closed'), await linkFor(ann, 'closed')]).toEqual([undefined, undefined])
  expect(count()).toBe(2)
})

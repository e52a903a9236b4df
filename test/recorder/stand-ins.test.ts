import { describe, expect, it } from 'vitest'
import { createStandIns } from '../../shared/recorder/stand-ins.ts'
import { mapTexts } from '../../shared/recorder/texts.ts'

const replaced = (value: unknown) => {
  const { learn, replace } = createStandIns()
  learn(value)
  return mapTexts(value, replace)
}

describe('stand-ins', () => {
  it('are one fictional person for every mention of the same person', () => {
    const ada = { id: 48_001, name: 'Ada Lindqvist', login: 'ada-l', email: 'Ada@acme.test' }
    expect(
      replaced({
        author: ada,
        sender: { id: 48_001, login: 'ada-l' },
        note: 'Ada wrote to ada@acme.test; ask Ada Lindqvist or @ada-l. Adagio and Canada stay.',
        page: 'https://desk.example/people/ada%40acme.test',
      }),
    ).toEqual({
      author: { id: 48_001, name: 'Odette Vane', login: 'odettevane', email: 'odettevane@example.com' },
      sender: { id: 48_001, login: 'odettevane' },
      note: 'Odette wrote to odettevane@example.com; ask Odette Vane or @odettevane. Adagio and Canada stay.',
      page: 'https://desk.example/people/odettevane%40example.com',
    })
  })

  it.each([
    ['a role', { assigned_by: { name: 'Bo Ek' } }, { assigned_by: { name: 'Odette Vane' } }],
    ['a list of a role', { members: [{ name: 'Bo Ek' }] }, { members: [{ name: 'Odette Vane' }] }],
    ['a name in a role', { created_by: 'Bo Ek' }, { created_by: 'Odette Vane' }],
    ['first and last name', { firstName: 'Bo', lastName: 'Ek' }, { firstName: 'Odette', lastName: 'Vane' }],
    [
      'JSON in a field of a form',
      { payload: '{"user":{"name":"Bo Ek"}}' },
      { payload: '{"user":{"name":"Odette Vane"}}' },
    ],
    ['an address alone', { text: 'to bo@ek.test' }, { text: 'to odettevane@example.com' }],
    [
      'a telephone number',
      { user: { name: 'Bo Ek', phone: '+46 70 123' } },
      { user: { name: 'Odette Vane', phone: '+1 202-555-0100' } },
    ],
  ])('know somebody by %s', (_, value, expected) => expect(replaced(value)).toEqual(expected))

  it('keep what names nobody', () => {
    const value = { status: { name: 'Doing' }, created_by: 'acc_1', board: { id: 'b1', name: 'Harvest Plan' }, n: 3 }
    expect(replaced(value)).toEqual(value)
  })

  it('are two for two people, and the same for one in a later record', () => {
    const { learn, replace } = createStandIns()
    learn({ user: { name: 'Bo Ek' } })
    learn({ user: { name: 'Ada Lindqvist' }, owner: { name: 'Bo Ek' } })
    expect(replace('Ada Lindqvist and Bo Ek')).toBe('Tomas Rill and Odette Vane')
    for (let number = 0; number < 40; number += 1) learn({ email: `p${number}@acme.test` })
    const all = new Set(Array.from({ length: 40 }, (_, number) => replace(`p${number}@acme.test`)))
    expect(all.size).toBe(40)
    for (const email of all) expect(email).toMatch(/@example\.com$/)
  })
})

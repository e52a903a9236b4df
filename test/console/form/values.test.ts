import { describe, expect, it } from 'vitest'
import { Unreadable } from '../../../shared/faces/console/form/draft.ts'
import { readJson, showJson } from '../../../shared/faces/console/form/json.ts'
import { readMoment, readTyped, showMoment, zones } from '../../../shared/faces/console/form/moments.ts'
import {
  convert,
  handyUnit,
  readNumber,
  showNumber,
  showSpan,
  unitsFrom,
} from '../../../shared/faces/console/form/numbers.ts'

const reasonOf = (read: unknown) => (read instanceof Unreadable ? read.reason : undefined)

describe('JSON', () => {
  it('is read, and shown as it was read', () => {
    expect([readJson(' '), readJson('null'), readJson('{"a":1}')]).toEqual([undefined, null, { a: 1 }])
    expect([showJson(undefined), showJson({ a: 1 }), showJson(readJson('{'))]).toEqual(['', '{\n  "a": 1\n}', '{'])
  })
  it.each([
    ['{\n  "a": 1,\n  b\n}', 'line 3'],
    ['{\n  "a": 1', 'line 2'],
    ['[1,\n2,\n]', 'line 3'],
  ])('says in which line it is wrong: %j', (text, line) => {
    expect(reasonOf(readJson(text))).toContain(line)
  })
})

describe('numbers', () => {
  it('are read as they are typed', () => {
    expect([readNumber(''), readNumber(' 2.50 '), readNumber('-1e3')]).toEqual([undefined, 2.5, -1000])
    for (const text of ['1,5', '5 people', 'Infinity']) expect(reasonOf(readNumber(text))).toContain('is not a number')
    expect([showNumber(undefined), showNumber(0), showNumber(readNumber('1,'))]).toEqual(['', '0', '1,'])
  })
  it('of time are shown in the coarsest whole unit, and entered in none finer than they are stored in', () => {
    expect([
      handyUnit(90_000, 'ms'),
      handyUnit(120_000, 'ms'),
      handyUnit(1440, 'minutes'),
      handyUnit(0, 'ms'),
      handyUnit(1.5, 'ms'),
    ]).toEqual(['seconds', 'minutes', 'days', 'ms', 'ms'])
    expect(unitsFrom('hours')).toEqual(['hours', 'days'])
    expect([convert(2, 'hours', 'ms'), convert(90, 'minutes', 'hours')]).toEqual([7_200_000, 1.5])
    expect([showSpan(60, 'minutes'), showSpan(90, 'seconds'), showSpan(2, 'days')]).toEqual([
      '1 hour',
      '90 seconds',
      '2 days',
    ])
  })
})

describe('moments', () => {
  const inSydney = (date: string, time: string) => readMoment({ date, time, zone: 'Australia/Sydney' })
  it('have the offset of their zone on their day', () => {
    expect(inSydney('2026-07-01', '17:00')).toBe('2026-07-01T17:00:00+10:00')
    expect(inSydney('2026-12-01', '17:00:30')).toBe('2026-12-01T17:00:30+11:00')
    expect(readMoment({ date: '2026-01-01', time: '00:00', zone: 'America/St_Johns' })).toBe(
      '2026-01-01T00:00:00-03:30',
    )
    expect(readMoment({ date: '2026-01-01', time: '00:00', zone: 'UTC' })).toBe('2026-01-01T00:00:00+00:00')
  })
  it('are the earlier one of an hour that comes twice, and an hour on where there is none', () => {
    expect(inSydney('2026-04-05', '02:30')).toBe('2026-04-05T02:30:00+11:00')
    expect(inSydney('2026-04-05', '03:30')).toBe('2026-04-05T03:30:00+10:00')
    expect(inSydney('2026-10-04', '02:30')).toBe('2026-10-04T03:30:00+11:00')
    expect(inSydney('2026-10-04', '01:59')).toBe('2026-10-04T01:59:00+10:00')
    expect(inSydney('2026-10-04', '17:00')).toBe('2026-10-04T17:00:00+11:00')
    expect(inSydney('2026-04-05', '17:00')).toBe('2026-04-05T17:00:00+10:00')
    expect(readMoment({ date: '2026-03-29', time: '02:30', zone: 'Europe/Berlin' })).toBe('2026-03-29T03:30:00+02:00')
    expect(readMoment({ date: '2026-10-25', time: '02:30', zone: 'Europe/Berlin' })).toBe('2026-10-25T02:30:00+02:00')
  })
  it('are shown in a zone, and read back the same', () => {
    expect(showMoment('2026-03-31T06:00:00Z', 'Australia/Sydney')).toEqual({
      date: '2026-03-31',
      time: '17:00',
      zone: 'Australia/Sydney',
    })
    expect(showMoment('2026-03-31T06:00:09Z', 'UTC')).toEqual({ date: '2026-03-31', time: '06:00:09', zone: 'UTC' })
    expect(showMoment(undefined, 'UTC')).toEqual({ date: '', time: '', zone: 'UTC' })
    expect(zones()).toEqual(expect.arrayContaining(['UTC', 'Australia/Sydney']))
  })
  it('say what is missing', () => {
    expect(inSydney('', '')).toBeUndefined()
    expect([reasonOf(inSydney('2026-07-01', '')), reasonOf(inSydney('', '17:00'))]).toEqual([
      'the time is missing.',
      'the date is missing.',
    ])
  })
  it('can be typed', () => {
    expect([readTyped(''), readTyped(' 2026-03-31T17:00:00+11:00 '), readTyped('2026-03-31T17:00Z')]).toEqual([
      undefined,
      '2026-03-31T17:00:00+11:00',
      '2026-03-31T17:00Z',
    ])
    for (const text of ['tomorrow', '2026-03-31', '2026-03-31T17:00:00', '2026-13-31T17:00:00Z'])
      expect(reasonOf(readTyped(text))).toContain('is not a full date')
  })
})

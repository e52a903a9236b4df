import { describe, expect, it } from 'vitest'
import { describeDefect, withoutPersons } from '#kit'
import { asFailure } from '../../shared/runtime/steps/run-records.ts'

describe('what the log says about a defect', () => {
  it('is name, message and stack', () => {
    const said = describeDefect(new TypeError('x is not a function\nof anything'))
    expect(said).toMatchObject({ error: 'TypeError', message: 'x is not a function\nof anything' })
    expect(said.stack).toMatch(/^ {4}at .*defect\.test\.ts/)
    expect(describeDefect('thrown text')).toMatchObject({ error: 'Error', message: 'thrown text' })
  })

  it.each([
    ['a bearer token', 'got Bearer abc.def-ghi back', 'got Bearer *** back'],
    [
      'a token in an address',
      'GET https://p.example/1?key=k123456&token=t987654&x=1',
      'GET https://p.example/1?key=***&token=***&x=1',
    ],
    ['a password in JSON', 'bad {"password":"swordfish","a":1}', 'bad {"password":"***","a":1}'],
    ['a token of ours', 'ty_AbCdEfGh0123456789AbCdEfGh012345 is wrong', '*** is wrong'],
    ['an address of a person', 'no row for "mai.tran@example.com.au", 2 rows', 'no row for "***@***", 2 rows'],
    ['an address at the end', `${'x '.repeat(245)}mai.tran@example.com.au is odd`, `${'x '.repeat(245)}***@*** is`],
    ['a profile', 'GET https://www.linkedin.com/in/mai-tran: 404', 'GET https://www.linkedin.com/in/***: 404'],
    ['a phone number', 'bad +61 491 570 156!', 'bad +***!'],
    ['a long key', 'with ATTA0123456789abcdef0123456789', 'with ***'],
  ])('without %s', (_, message, clean) => expect(describeDefect(new Error(message)).message).toBe(clean))

  it('without the secrets of the account, in a run', () => {
    const lines: object[] = []
    const failure = asFailure(
      new Error('cannot read "hunter22"'),
      (_, event, fields) => void lines.push({ event, ...fields }),
      'run-1',
      ['hunter22'],
    )
    expect(failure).toMatchObject({ code: 'internal', message: expect.not.stringContaining('hunter22') })
    expect(lines).toMatchObject([
      {
        event: 'run.defect',
        runId: 'run-1',
        error: 'Error',
        message: 'cannot read "***"',
        stack: expect.stringContaining('at '),
      },
    ])
  })

  it('is short, however long the message is', () => {
    const { message, stack } = describeDefect(new Error('word '.repeat(100_000)))
    expect([message.length, stack.length < 4_001]).toEqual([500, true])
  })
})

describe('a text without persons', () => {
  it('is made in no time, however the text is written', () => {
    const began = process.cpuUsage()
    for (const text of [
      'a'.repeat(1_000_000),
      '+1 '.repeat(300_000),
      'a@'.repeat(500_000),
      'linkedin.com/in/'.repeat(60_000),
    ])
      withoutPersons(text, 4_000)
    expect((process.cpuUsage(began).user + process.cpuUsage(began).system) / 1000, 'ms of CPU').toBeLessThan(2_000)
  })
})

import { describe, expect, test } from 'vitest'
import type { Failure } from '#kit'
import { callTo, listen, profileFor, reply, secrets, wireTo } from './setup.ts'

const sink = await listen()
const errorDetails = {
  message: ['info.text', 'message'],
  list: { at: 'errors', field: 'field', code: 'code', message: 'message' },
}
const profile = profileFor(sink.origin, { errorDetails })

const refusedWith = async (body: unknown, over: Partial<typeof profile> = {}): Promise<Failure> => {
  sink.answer = (_, response) => reply(response, 422, body)
  const wire = wireTo([sink.origin])
  const call = callTo({ ...profile, ...over }, { method: 'POST', effect: 'create', body: { title: '' } })
  return wire.classify(call.profile, await wire.exchange(call), 'create')!
}

describe('the details of a refusal', () => {
  test('wrong fields are in the message and, by field, in errors', async () => {
    const failure = await refusedWith({
      message: 'Validation Failed',
      errors: [
        { resource: 'Issue', field: 'title', code: 'missing_field' },
        { resource: 'Issue', field: 'labels/0', code: 'invalid', message: 'is not a label' },
        'Something else',
      ],
    })
    expect(failure.code).toBe('rejected')
    expect(failure.message).toContain(
      '(It answered 422.) It says: title: missing_field; labels/0: is not a label; Something else',
    )
    expect(failure.details).toMatchObject({
      providerMessage: 'Validation Failed',
      errors: [
        { pointer: '/title', message: 'missing_field' },
        { pointer: '/labels~10', message: 'is not a label' },
        { pointer: '/', message: 'Something else' },
      ],
    })
  })

  test('the secret of a webhook is not among them, wherever the provider names it', async () => {
    const signing = `whsec_${'k7Qx'.repeat(12)}+/=`
    const { message, details } = await refusedWith({
      message: `The secret is ${signing}, which signs all deliveries.`,
      errors: [{ field: signing, message: `${signing} is known` }, signing],
    })
    expect(details.providerMessage).toBe('The secret is ***, which signs all deliveries.')
    expect(JSON.stringify({ message, details })).not.toContain('k7Qx')
  })

  test('wrong fields may be named by an object', async () => {
    const failure = await refusedWith({
      errors: { summary: 'is required', base: [{ message: 'is full' }, { message: 'is old' }], tags: ['are too many'] },
    })
    expect(failure.details.errors).toEqual([
      { pointer: '/summary', message: 'is required' },
      { pointer: '/base', message: 'is full' },
      { pointer: '/tags', message: 'are too many' },
    ])
  })

  test('the first place with a text wins, and a usual name where none has one', async () => {
    expect((await refusedWith({ info: { text: 'From inside' }, message: 'Outside' })).details.providerMessage).toBe(
      'From inside',
    )
    expect((await refusedWith({ detail: 'Elsewhere' })).details.providerMessage).toBe('Elsewhere')
  })

  test('they are scrubbed, bounded in number and length, and of one line', async () => {
    const errors = Array.from({ length: 500 }, (_, index) => ({
      field: `f${index}`,
      message: `${secrets.token}\n\u202e${'x'.repeat(5000)}`,
    }))
    const failure = await refusedWith({ errors })
    expect(failure.details.errors).toHaveLength(10)
    expect(failure.message.length).toBeLessThan(3000)
    expect(JSON.stringify(failure.details) + failure.message).not.toContain('marker')
    expect(failure.message).not.toMatch(/[\n\u202e]/)
  })

  test('a reply of another shape is refused as without the setting', async () => {
    for (const body of [{ errors: 'none' }, [], 'text', {}])
      expect((await refusedWith(body)).details.errors).toBeUndefined()
    const plain = profileFor(sink.origin)
    expect(
      (
        await refusedWith(
          { message: 'No', errors: [{ field: 'a', code: 'b' }] },
          { ...plain, errorDetails: undefined as never },
        )
      ).details.errors,
    ).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { defineStep, defineTrigger, once, z } from '#kit'

describe('schemas of a definition', () => {
  it('are made when one is first read, once, if given as functions', () => {
    const made: string[] = []
    const noted = <T>(name: string, schema: T) => {
      made.push(name)
      return schema
    }
    const step = defineStep({
      id: 'a',
      title: 'A',
      purpose: 'Does a.',
      effect: 'read',
      input: () => noted('input', z.strictObject({ name: z.string() })),
      output: () => noted('output', z.string()),
      run: async (_, { name }) => name,
    })
    const trigger = defineTrigger({
      id: 'b',
      title: 'B',
      purpose: 'Starts at b.',
      recoverable: 'all',
      config: () => noted('config', z.strictObject({})),
      data: () => noted('data', z.object({})),
    })
    expect([step.id, trigger.id]).toEqual(['a', 'b'])
    expect(made).toEqual([])
    expect(step.input).toBe(step.input)
    expect(step.input.parse({ name: 'n' })).toEqual({ name: 'n' })
    expect(made).toEqual(['input'])
    expect([step.output, trigger.config, trigger.data, trigger.data].map((schema) => schema.type)).toEqual([
      'string',
      'object',
      'object',
      'object',
    ])
    expect(made).toEqual(['input', 'output', 'config', 'data'])
  })

  it('may be given as they are', () => {
    const [input, output] = [z.strictObject({}), z.string()]
    const step = defineStep({
      id: 'a',
      title: 'A',
      purpose: 'Does a.',
      effect: 'read',
      input,
      output,
      run: async () => 'x',
    })
    expect(step.input).toBe(input)
    expect(step.output).toBe(output)
  })

  it('once keeps what is made, undefined too, and makes it again after a failure', () => {
    let times = 0
    const make = once(() => {
      times += 1
      if (times === 1) throw new Error('no')
      return undefined
    })
    expect(make).toThrow('no')
    expect([make(), make()]).toEqual([undefined, undefined])
    expect(times).toBe(2)
  })
})

import { fail, failField } from '#kit'
import { lookupOrder } from '../../../api/resources/lookup-answer.ts'
import { lookupKind } from '../../../api/resources/lookup.ts'
import { amount, choice, command, flag, text, texts } from '../declare.ts'
import { ifAny } from '../input.ts'
import { personOption } from '../person-options.ts'
import { runOptions, sayOutput } from './steps.ts'

const readIdentifiers = (fields: string[]) =>
  Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf('=')
      if (at < 1) throw fail('invalid_input', `"${field}" is not an identifier. Write --field name=value.`)
      return [field.slice(0, at), field.slice(at + 1)]
    }),
  )

const readProvider = (provider: string) => {
  const at = provider.indexOf(':')
  return at < 0 ? { integration: provider } : { integration: provider.slice(0, at), connection: provider.slice(at + 1) }
}

export const lookupCommands = [
  command(
    {
      usage: 'lookup <kind>',
      about: 'look up a person or company at one data provider after the other',
      arguments: { kind: 'person or company' },
      options: {
        field: texts('-f <name=value>', 'an identifier; repeatable'),
        want: texts('-w <fields>', 'fields to fill, comma-separated; repeatable'),
        provider: texts(
          '-p <integration[:connection]>',
          'a provider, in the order to ask them; repeatable; default: all connected, the cheapest first',
        ),
        order: choice(
          '<order>',
          'ask in the order that earlier lookups suggest, also among those of -p; needs --max-credits',
          lookupOrder().options,
        ),
        person: personOption,
        maxCredits: amount('<credits>', 'the most that all providers together may cost'),
        maxAge: amount('<seconds>', 'how old a stored result may be; 0 asks the providers'),
        refresh: flag('ask the providers, and store their answers in place of the stored ones'),
        dryRun: flag('show the price of the whole chain and the requests to the first provider; send nothing'),
        idempotencyKey: text(
          '<key>',
          'makes a repeat safe: with the same key the stored outcome is returned and nothing is sent again',
        ),
        startId: text('<id>', 'the agent start this lookup belongs to'),
        sandbox: flag('use the sandbox: the running one, otherwise a new one for this lookup'),
      },
      help: ({ typed }) =>
        `\nExample:\n  ${typed('lookup person -f email=ada@example.com -w mobilePhone,jobTitle --max-credits 5')}`,
    },
    async (context, { field, want, provider, idempotencyKey, startId, sandbox: _, ...options }) => {
      const kind = lookupKind.options.find((kind) => kind === options.kind)
      if (!kind) throw failField('kind', `"${options.kind}" cannot be looked up. Give person or company.`)
      const body = {
        ...options,
        kind,
        identifiers: readIdentifiers(field),
        want: want.flatMap((names) => names.split(',')).filter(Boolean),
        providers: ifAny(provider.map(readProvider)),
      }
      sayOutput(
        context,
        await context.call('lookups.lookUp', body, runOptions(context, startId, idempotencyKey)),
        options.dryRun,
      )
    },
  ),
]

import type { Command } from 'commander'
import { fail, failField } from '#kit'
import type { Outcome } from '#kit'
import type { Client, LookupBody } from './client.ts'
import { readAmount } from './input.ts'
import { sayMeta } from './run.ts'
import { printFailure, typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Options = {
  field: string[]
  want: string[]
  provider: string[]
  maxCredits?: number
  maxAge?: number
  refresh?: boolean
  dryRun?: boolean
  startId?: string
  idempotencyKey?: string
  sandbox?: boolean
  json?: boolean
}

const identifiersIn = (fields: string[]): Record<string, string> =>
  Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf('=')
      if (at < 1) throw fail('invalid_input', `"${field}" is not an identifier. Write --field name=value.`)
      return [field.slice(0, at), field.slice(at + 1)]
    }),
  )

const providerIn = (text: string) => {
  const at = text.indexOf(':')
  return at < 0 ? { integration: text } : { integration: text.slice(0, at), connection: text.slice(at + 1) }
}

const bodyOf = ({ field, want, provider, maxCredits, maxAge, refresh, dryRun = false }: Options): LookupBody => ({
  identifiers: identifiersIn(field),
  want: want.flatMap((names) => names.split(',')).filter(Boolean),
  providers: provider.length === 0 ? undefined : provider.map(providerIn),
  maxCredits,
  maxAge,
  refresh,
  dryRun,
})

const perform = async (client: Client, terminal: Terminal, kind: string, options: Options): Promise<number> => {
  try {
    if (kind !== 'person' && kind !== 'company') throw failField('kind', `"${kind}" cannot be looked up. Give person or company.`)
    const { startId, idempotencyKey, json = false, dryRun = false } = options
    const outcome: Outcome = await client.lookup({ kind, body: bodyOf(options), startId, idempotencyKey, signal: terminal.signal })
    if (!outcome.ok) {
      const { runId } = outcome.meta
      return printFailure(terminal, { ...outcome.failure, ...(runId === '' ? {} : { runId }) }, json)
    }
    if (json) terminal.out(`${JSON.stringify({ output: outcome.value, meta: outcome.meta })}\n`)
    else {
      terminal.out(`${JSON.stringify(outcome.value, null, 2)}\n`)
      if (!dryRun) sayMeta(terminal, outcome)
    }
    return 0
  } finally {
    await client.close()
  }
}

const collect = (one: string, others: string[]) => [...others, one]

type Line = {
  program: Command
  terminal: Terminal
  finish(code: number): void
  client(wanted: { sandbox: boolean; catalogueOnly: boolean }): Promise<Client>
}

export const addLookup = ({ program, terminal, finish, client }: Line): void => {
  program
    .command('lookup')
    .description('look up a person or company at one data provider after the other')
    .argument('<kind>', 'person or company')
    .option('-f, --field <name=value>', 'an identifier; repeatable', collect, [])
    .option('-w, --want <fields>', 'fields to fill, comma-separated; repeatable', collect, [])
    .option(
      '-p, --provider <integration[:connection]>',
      'a provider, in the order to ask them; repeatable; default: all connected, the cheapest first',
      collect,
      [],
    )
    .option('--max-credits <credits>', 'the most that all providers together may cost', readAmount('max-credits'))
    .option('--max-age <seconds>', 'how old a stored result may be; 0 asks the providers', readAmount('max-age'))
    .option('--refresh', 'ask the providers, and store their answers in place of the stored ones')
    .option('--dry-run', 'show the price of the whole chain and the requests to the first provider; send nothing')
    .option('--idempotency-key <key>', 'makes a repeat safe: with the same key the stored outcome is returned and nothing is sent again')
    .option('--start-id <id>', 'the agent start this lookup belongs to')
    .option('--sandbox', 'use the sandbox: the running one, otherwise a new one for this lookup')
    .option('--json', 'print JSON, failures as JSON on standard error')
    .addHelpText('after', () => `\nExample:\n  ${typed(terminal, 'lookup person -f email=ada@example.com -w mobilePhone,jobTitle --max-credits 5')}`)
    .action(async (kind: string, options: Options) =>
      finish(await perform(await client({ sandbox: options.sandbox ?? false, catalogueOnly: false }), terminal, kind, options)),
    )
}

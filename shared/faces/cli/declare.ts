import { Option } from 'commander'
import type { Command } from 'commander'
import { failField } from '#kit'
import type { Configuration } from '../../settings.ts'
import type { Call, Client } from './call.ts'
import type { CommandParts } from './command-parts.ts'
import { findClient } from './find-client.ts'
import { readAmount } from './input.ts'
import { table } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * Completes a flag: `-c <id>` of the option `connection` becomes `-c, --connection <id>`. A spec that names its flag
 * stays.
 */
const flagsOf = (name: string, spec: string) => {
  if (spec.includes('--')) return spec
  const [, short, value] = /^(-\w)? ?(.*)$/.exec(spec)!
  return `${short === undefined ? '' : `${short}, `}--${kebab(name)} ${value}`.trim()
}

/** Makes an option from its name. `T`: the type of its value. */
type Declared<T> = { (name: string): Option; readonly value?: T }
export type Options = { [name: string]: Declared<unknown> }

/** An option with a text; `fallback` is its value when the option is absent. */
export const text =
  <F extends string | undefined = undefined>(spec: string, about: string, fallback?: F): Declared<string | F> =>
  (name) =>
    new Option(flagsOf(name, spec), about).default(fallback)
export const flag =
  (about: string, spec = ''): Declared<boolean | undefined> =>
  (name) =>
    new Option(flagsOf(name, spec), about)
/** An option with a text that may be repeated. */
export const texts =
  (spec: string, about: string): Declared<string[]> =>
  (name) =>
    new Option(flagsOf(name, spec), about).default([]).argParser((value, before: string[]) => [...before, value])
export const choice =
  <const T extends string, F extends T | undefined = undefined>(
    spec: string,
    about: string,
    choices: readonly T[],
    fallback?: F,
  ): Declared<T | F> =>
  (name) =>
    new Option(flagsOf(name, spec), about).choices(choices).default(fallback)
/** An option with a number that is not negative. */
export const amount =
  (spec: string, about: string, { isWhole = false } = {}): Declared<number | undefined> =>
  (name) =>
    new Option(flagsOf(name, spec), about).argParser(readAmount(kebab(name), isWhole))

const maxRows = 200
const readLimit = (value: string) => {
  const rows = /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (rows < 1 || rows > maxRows)
    throw failField('limit', `--limit takes a number from 1 to ${maxRows}, not "${value}".`)
  return rows
}
/** The options of a list with pages. */
export const paging = (rows = '20') => ({
  limit: ((name) =>
    new Option(flagsOf(name, '-n <n>'), `maximum number of rows, 1 to ${maxRows}`)
      .default(rows)
      .argParser(readLimit)) as Declared<unknown>,
  cursor: text('<cursor>', 'continue after the previous page'),
})
export const tenant = text('-t <id>', 'the tenant', 'default')
export const asJson = flag('print JSON, failures as JSON on standard error')

/** The values of `<name>`, `[name]` and `[names...]` in a usage, by name. */
type ArgumentsOf<Usage> = Usage extends `${infer First} ${infer Rest}`
  ? ArgumentsOf<First> & ArgumentsOf<Rest>
  : Usage extends `<${infer Name}>`
    ? { [N in Name]: string }
    : Usage extends `[${infer Name}...]`
      ? { [N in Name]: string[] }
      : Usage extends `[${infer Name}]`
        ? { [N in Name]: string | undefined }
        : {}
export type ValuesOf<Usage, O extends Options> = ArgumentsOf<Usage> & {
  [Name in keyof O]: O[Name] extends Declared<infer T> ? T : never
}

type Page<T> = { items: T[]; next?: string | undefined }
/** What a command runs with. */
export type Context = {
  /** Calls an operation of the running server, or of the data directory when no server runs. */
  call: Call
  /** The client behind `call`, with its other methods; opened at the first use. */
  client(): Promise<Client>
  terminal: Terminal
  /** Whether --json was given. */
  json: boolean
  /** Prints a value as JSON with --json; otherwise prints the text, or calls the function. */
  say(value: unknown, shown: string | (() => void)): void
  /** Prints a line on standard error, unless --json was given. */
  note(line: string): void
  /**
   * Prints a page of rows as a table; `columns` returns the cells of a row by heading, in order. Prints `none` if the
   * page is empty.
   */
  list<T>(page: Page<T>, none: string, columns: (row: T) => { [head: string]: string }): void
  /** Prints a value as JSON, indented without --json. */
  show(value: unknown): void
  /** Returns the sentence if no server runs, otherwise an empty text. */
  ifNoServer(sentence: string): Promise<string>
  /** A command line as it can be typed here. */
  typed(words: string): string
  configuration(): Configuration
  parts: CommandParts
}

type Run<V> = (context: Context, values: V) => Promise<number | void> | number | void
type CommandFields<Usage extends string, O extends Options> = {
  /** Words and arguments of the command, such as `tokens revoke <id>`. */
  usage: Usage
  about: string
  /** Descriptions of the arguments, by name. */
  arguments?: { [name: string]: string }
  options?: O
  /**
   * What the command needs of a pack when no server runs: `catalogue`, or `recorder` for one that records runs; by
   * default the data directory.
   */
  needs?: 'catalogue' | 'recorder'
  /** Leaves out --json. */
  textOnly?: true
  isHidden?: true
  /** Text that follows in the command's help. */
  help?: (context: Pick<Context, 'typed'>) => string
}
export type Declaration = CommandFields<string, Options> & { run: Run<never> | undefined }

/**
 * Declares a command: `run` gets the values of its arguments and options, and returns the exit code if it is not 0. A
 * command without `run` only holds other commands.
 */
export const command = <const Usage extends string, O extends Options = {}>(
  fields: CommandFields<Usage, O>,
  run?: Run<ValuesOf<Usage, O>>,
): Declaration => ({
  ...fields,
  run,
})

export const printTable = ({ out, err, width }: Terminal, { items, next }: Page<{ [head: string]: string }>) => {
  out(
    `${table(
      Object.keys(items[0]!),
      items.map((row) => Object.values(row)),
      width,
      '',
      { whole: true },
    )}\n`,
  )
  if (next !== undefined) err(`More: --cursor ${next}\n`)
}

const contextOf = (
  parts: CommandParts,
  configuration: () => Configuration,
  json: boolean,
  client: () => Promise<Client>,
): Context => {
  const { terminal } = parts
  const print = (value: unknown) => terminal.out(`${JSON.stringify(value)}\n`)
  return {
    call: (async (...call: Parameters<Call>) => (await client()).call(...call)) as Call,
    client,
    terminal,
    json,
    say(value, shown) {
      if (json) print(value)
      else if (typeof shown === 'string') terminal.out(`${shown}\n`)
      else shown()
    },
    note: (line) => json || terminal.err(`${line}\n`),
    list({ items, next }, none, columns) {
      if (json) print({ items, next })
      else if (items.length === 0) terminal.out(`${none}\n`)
      else printTable(terminal, { items: items.map(columns), next })
    },
    show: (value) => terminal.out(`${JSON.stringify(value, null, json ? 0 : 2)}\n`),
    ifNoServer: async (sentence) => ((await client()).isServed ? '' : sentence),
    typed: (words) => typed(terminal, words),
    configuration,
    parts,
  }
}

type CommandLine = { program: Command; parts: CommandParts; configuration(): Configuration; finish(code: number): void }

/** The options of a command in the order of its help; --json comes last, unless the command declares it itself. */
const optionsOf = ({ options = {}, textOnly }: Declaration) =>
  Object.entries({ ...options, ...(textOnly || 'json' in options ? {} : { json: asJson }) }).map(([name, make]) => ({
    name,
    option: make(name),
  }))

type Values = { [name: string]: unknown }

/** Runs a command and closes the client it opened. */
const perform = async (
  { parts, configuration }: CommandLine,
  { needs, run }: Declaration,
  { json, ...values }: Values,
): Promise<number> => {
  const place = {
    sandbox: values['sandbox'] === true,
    catalogueOnly: needs === 'catalogue',
    records: needs === 'recorder',
  }
  let opened: Promise<Client> | undefined
  const open = () => {
    const settings = configuration()
    return findClient(settings, place, (kind) => parts.openInProcess(settings, kind), parts.terminal)
  }
  try {
    return (
      (await run!(
        contextOf(parts, configuration, json === true, () => (opened ??= open())),
        values as never,
      )) ?? 0
    )
  } finally {
    await (await opened?.catch(() => undefined))?.close()
  }
}

const addCommand = (line: CommandLine, declaration: Declaration) => {
  const { usage, about, help, run } = declaration
  const words = usage.split(' ')
  const names = words.filter((word) => !/^[<[]/.test(word))
  const parent = names
    .slice(0, -1)
    .reduce((above, name) => above.commands.find((below) => below.name() === name)!, line.program)
  const added = parent.command(names.at(-1)!, { hidden: declaration.isHidden ?? false }).description(about)
  if (!run) return
  for (const word of words.slice(names.length))
    added.argument(word, declaration.arguments?.[word.replaceAll(/\W/g, '')])
  const options = optionsOf(declaration)
  for (const { option } of options) added.addOption(option)
  if (help) added.addHelpText('after', help({ typed: (text) => typed(line.parts.terminal, text) }))
  added.action(async () => {
    // Commander may have read an option on a parent command that has it too.
    const read: Values = added.optsWithGlobals()
    const values = [
      ...options.map(({ name, option }) => [name, read[option.attributeName()]] as const),
      ...added.registeredArguments.map(
        (argument, at) => [argument.name(), added.processedArgs[at] as unknown] as const,
      ),
    ]
    line.finish(await perform(line, declaration, Object.fromEntries(values)))
  })
}

/** Adds commands in order; a subcommand must come after its parent. */
export const declareCommands = (line: CommandLine, declarations: Declaration[]): void => {
  for (const declaration of declarations) addCommand(line, declaration)
}

import type * as z from 'zod'
import type { FileRef, FileRows, OpenFile, PdfText, SavedFile } from './file.ts'
import type { Lookup, LookupResult, NextLookups, SearchPage } from './lookup.ts'
import type { Effect, ExchangeReply, ProviderRequest } from './request.ts'

/** Price of a step in the provider's credits; `typical` is [least, most] for each `per`. */
export type Cost = { unit: 'credit'; per: 'match' | 'record' | 'call'; typical: [number, number] }

export type Option = { value: string; label: string; hint?: string }

export type OptionPage = { options: Option[]; next?: string }

export type OptionContext = Pick<StepContext, 'send' | 'exchange' | 'signal' | 'now'>

/**
 * Loads choices for a field. `values` holds the other fields of the form, unchecked. `container`: the default container
 * of the connection, for choices that depend on one while no field of the form decides it.
 */
export type OptionSource = {
  (
    ctx: OptionContext,
    request: { values: Record<string, unknown>; query: string; cursor?: string; container?: string },
  ): Promise<OptionPage>
  /**
   * Steps of the integration whose results contain the same choices, best first: agents, which have no form, are told
   * to use them.
   */
  listedBy?: string[]
}

/** A field that the account defines, such as a custom field of a project. */
export type AccountField = { id: string; title: string; description?: string } & (
  | { type: 'text' | 'number' | 'boolean' | 'date-time' }
  | { type: 'choice'; choices: Option[] }
)

/** The account-defined fields that a step takes. */
export type AccountFields<Name extends string = string> = {
  /** The input field that holds their values: an open object of field → value, in which null empties a field. */
  field: Name
  /** Input fields whose values decide which account-defined fields exist; a form asks for them first. */
  dependsOn: string[]
  /**
   * Loads these fields. `values`: the other fields of the form, unchecked, or the input of a run. `container`: as for
   * choices.
   */
  load(ctx: OptionContext, request: { values: Record<string, unknown>; container?: string }): Promise<AccountField[]>
}

/**
 * The value given for an account-defined field: null empties the field; for a `choice` it is the value of the choice.
 */
export type AccountValue = { field: AccountField; value: string | number | boolean | null }

/** What JSON Schema cannot express about an input field. */
export type FieldSpec = {
  options?: OptionSource
  /** Kind of the things whose ids the field takes; their names are learned from `options`. */
  names?: string
  /** Names of fields whose values `options` needs first. */
  dependsOn?: string[]
  /** The field takes an id or a pasted address. */
  accepts?: 'id-or-url'
  /**
   * The field only narrows dropdowns: forms show it, tool schemas do not. A value that contradicts the field it narrows
   * is `invalid_input`.
   */
  scope?: true
  /** A text of several lines, such as a description. */
  long?: true
  /** Titles of the fixed choices, by value. */
  labels?: Record<string, string>
  /** Shown in forms only while another field has one of these values; without `is`, while it has any. */
  showWhen?: { field: string; is?: (string | number | boolean)[] }
  /** Shown in the empty field: an example of a value, never a default. */
  placeholder?: string
  /** Page of the provider that explains the field. */
  helpUrl?: string
  /** What a number counts. A number in a unit of time is shown as a duration. */
  unit?: Unit
  /** Few agents need the field: tool definitions leave it out, but it is accepted all the same. */
  rare?: true
  /** For rows of filters: the fields that they may name; agents and forms see those that the profile in force has. */
  filters?: string[]
  /** For a list of rows: extras of the fields of one row. */
  row?: { [field: string]: Omit<FieldSpec, 'options' | 'row'> }
}

export const timeUnits = ['ms', 'seconds', 'minutes', 'hours', 'days'] as const
export type Unit = (typeof timeUnits)[number] | 'bytes' | 'people' | 'credits'

export type StepContext = {
  /**
   * Sends one documented request (guarded, authorized, rate-limited, retried, classified) and returns the parsed reply
   * body.
   */
  send(request: ProviderRequest): Promise<unknown>
  /**
   * Like `send`, but returns status and headers with the body. Needed for paging, and for conditional requests (status
   * 304, body null).
   */
  exchange(request: ProviderRequest): Promise<ExchangeReply>
  /**
   * Sends a request to one endpoint of the wire profile, with values in our field names; returns the parsed reply body.
   */
  ask(endpoint: string, values: Record<string, unknown>): Promise<unknown>
  /**
   * Like `ask`, for one record: applies the no-match rules, record paths and credits of the profile. `sets` are the
   * given identifier sets, strongest first; with `identifiers: 'one'` in the profile, the next one is tried only after
   * a definite no match. `along`: values sent with each set that identify nobody (a country, what to reveal).
   */
  lookup(endpoint: string, sets: Record<string, unknown>[], along?: Record<string, unknown>): Promise<Lookup>
  /**
   * Looks up many records, each by its identifier sets and with its own `along`: in bulk where the profile has it, else
   * by single requests. Results are in input order.
   */
  lookupMany(
    endpoint: string,
    records: Record<string, unknown>[][],
    along?: Record<string, unknown>[],
  ): Promise<LookupResult[]>
  /**
   * Reads one page of a profile endpoint with `page` rules: its records, and how to get the rest. `followedBy`: lookups
   * that the step makes next. Their price is quoted and reserved with that of the search; if they may not be sent,
   * neither is the search.
   */
  search(
    endpoint: string,
    values: Record<string, unknown>,
    page: { limit?: number; cursor?: string; followedBy?: NextLookups },
  ): Promise<SearchPage>
  /** What the run has been charged so far, in credits. */
  charged(): number
  /**
   * Opens a file of the input. To send the file, put `filePart(input.file)` into the body of a multipart request
   * instead.
   */
  file(ref: FileRef): Promise<OpenFile>
  /**
   * Reads a CSV or JSONL file of the input, of at most `most` rows and 5 MB. `fields`: the names that the column of each
   * field may have, without regard to case, spaces and punctuation. Problems name the input field `file`.
   */
  rows(ref: FileRef, options: { fields: { [field: string]: string[] }; most: number }): Promise<FileRows>
  /**
   * Sends a request that reads, and stores the body of its reply as a file, chunk by chunk. `name` replaces the name
   * that the reply gives, and is sanitised like it.
   */
  save(request: ProviderRequest, options?: { name?: string | undefined }): Promise<SavedFile>
  /**
   * Sends a request that reads, and returns the text of the PDF in its reply: of at most 5 MB, 200 pages and 500,000
   * characters. A PDF that is encrypted, broken or without text fails with `invalid_input` for the input field `field`.
   */
  pdf(request: ProviderRequest, options: { field: string }): Promise<PdfText>
  signal: AbortSignal
  now(): number
  progress(done: number, total?: number): void
}

export type StepDefinition<I extends z.ZodObject, O extends z.ZodType> = {
  id: string
  title: string
  group?: string
  /** One sentence, written for an agent. */
  purpose: string
  effect: Effect | ((input: z.output<I>) => Effect)
  cost?: Cost | ((input: z.output<I>) => Cost | undefined)
  legacy?: { use: string }
  /** Other words people search for the step by. */
  keywords?: string[]
  /** Name of an icon in `manifests/icons/steps`. */
  icon?: string
  /** OAuth scopes of the provider that the connection needs for the step. */
  oauthScopes?: string[]
  /**
   * Output fields that agents get unless they ask for others, with dots into objects and entries of lists
   * ("people.name"); default: all.
   */
  agentFields?: string[]
  /** Version of the step's contract, `major.minor`; minor grows with every field it gains. Default "1.0". */
  version?: string
  /** Replaced by the step in `use`; runs as before until the next major version of the integration. */
  deprecated?: { since: string; use: string }
  /**
   * The step changes many things, and looks at each before it writes, so that nothing is done twice. A run that was cut
   * off continues under its idempotency key, and its requests wait behind those of other calls.
   */
  resumes?: true
  /** A schema, or a function that makes it when the step is first used. */
  input: I | (() => I)
  output: O | (() => O)
  /** The step looks up one known person or company by identifiers, and its output is that of a lookup. */
  lookup?: 'person' | 'company'
  /**
   * Stored lists can be made from outputs of the step. `rows` returns a row of values by column for each person or
   * company that an output names. If the output has `next`, the step is run again with it as `cursor`.
   */
  listSource?: { rows(output: unknown, kind: 'person' | 'company'): Record<string, string>[] }
  /** Names of profile endpoints the step needs; a null path there makes the step `ready: false`. */
  endpoints?: string[]
  fields?: { [field in string & keyof I['shape']]?: FieldSpec }
  /**
   * Field of the container that the step works in, which callers may leave out; its schema comes from `orDefault`. The
   * run then works in the container of the event that started its agent, or else in the default one of the connection.
   */
  container?: string & keyof I['shape']
  /** Fields that the account defines, beside those of `input`. */
  accountFields?: AccountFields<string & keyof I['shape']>
  /** `accountValues`: the values given for account-defined fields, checked; empty where the step has none. */
  run(ctx: StepContext, input: z.output<I>, accountValues: AccountValue[]): Promise<unknown>
}

export type Step = Omit<
  StepDefinition<z.ZodObject, z.ZodType>,
  'input' | 'output' | 'fields' | 'accountFields' | 'container' | 'effect' | 'cost'
> & {
  input: z.ZodObject
  output: z.ZodType
  effect: Effect | ((input: Record<string, unknown>) => Effect)
  cost?: Cost | ((input: Record<string, unknown>) => Cost | undefined)
  fields?: { [field: string]: FieldSpec }
  accountFields?: AccountFields
  container?: string
}

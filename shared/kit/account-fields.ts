import type { Option, OptionContext } from './step.ts'

/** A field that the account defines, such as a custom field of a project. */
export type AccountField = { id: string; title: string; description?: string } & (
  | { type: 'text' | 'number' | 'boolean' | 'date-time' }
  | { type: 'choice'; choices: Option[] }
)

/** Which fields of the account a step takes. */
export type AccountFields<Name extends string = string> = {
  /** The input field that holds their values: an open object of field → value, null to empty a field. */
  field: Name
  /** Input fields whose values decide which fields there are; a form asks for them first. */
  dependsOn: string[]
  /** Reads them. `values`: the other fields of the form, unchecked, or the input of a run. */
  load(ctx: OptionContext, asked: { values: Record<string, unknown> }): Promise<AccountField[]>
}

/** A value given for a field of the account: null empties the field; of a `choice` it is the value of the choice. */
export type AccountValue = { field: AccountField; value: string | number | boolean | null }

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { OptionPage } from '../../../api/resources/form.ts'
import type { Draft, Layout, Values } from './draft.ts'
import type { FormError } from './problems.ts'

export type { OptionPage }

export type Option = OptionPage['options'][number]

/** Loads a field's choices from the account; `values`: the values entered so far. @throws ApiError */
export type LoadOptions = (
  field: string,
  values: Values,
  query: string,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<OptionPage>

/** What the fields of a form share. */
export type FormState = {
  /** Prefix of the ids of all elements. */
  base: string
  layout: Layout
  draft: Draft
  /** The values to send when choices are loaded. */
  values: Values
  errors: FormError[]
  optionsFor: LoadOptions | undefined
  /** The integration whose connected accounts a field with the control `connection` offers. */
  integration: string | undefined
  /** Names of chosen things, by id, where their choices cannot be loaded yet. */
  names: Map<string, string> | undefined
  disabled: boolean
}

export const FormContext = createContext<FormState | undefined>(undefined)
export const useForm = (): FormState => useContext(FormContext)!

/** The id of the input of a field, so that an error can lead to it. */
export const idOf = (base: string, pointer: string) => base + pointer.replaceAll(/[^\w-]/g, '_')

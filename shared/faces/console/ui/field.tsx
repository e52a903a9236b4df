/** A labelled field with its hint and its error. */
import type { ComponentChildren, JSX, TargetedInputEvent } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../api/client.ts'

/** The server's message about one field, by the field's name. */
export const errorAt = (problem: Problem | undefined, name: string) =>
  problem?.errors?.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))?.message

type Common = { label: ComponentChildren; hint?: ComponentChildren; error?: string | undefined }
type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': 'true' | undefined }

const Labelled = ({
  label,
  hint,
  error,
  children,
}: Common & { children(attributes: Described): ComponentChildren }) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
        'aria-invalid': error ? 'true' : undefined,
      })}
      {hint && (
        <p class="muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type TextProps = Common & {
  value?: string
  change?(value: string): void
  /** Called with the text when the user has finished it, in place of `change` for every key. */
  finish?(value: string): void
  /** Values to suggest. */
  suggest?: string[] | undefined
  /** The number of lines of a text of several lines. */
  rows?: number
} & Pick<
    JSX.IntrinsicElements['input'],
    'name' | 'type' | 'required' | 'maxLength' | 'min' | 'placeholder' | 'spellcheck' | 'accept'
  >

export const TextField = ({ label, hint, error, change, finish, suggest, ...inputProps }: TextProps) => (
  <Labelled label={label} hint={hint} error={error}>
    {(described) => {
      const attributes = {
        type: 'text',
        autocomplete: 'off',
        ...inputProps,
        ...described,
        list: suggest && `${described.id}-list`,
        onInput: change && ((event: TargetedInputEvent<HTMLInputElement>) => change(event.currentTarget.value)),
        onChange: finish && ((event: TargetedInputEvent<HTMLInputElement>) => finish(event.currentTarget.value.trim())),
      } as object
      return (
        <>
          {inputProps.rows === undefined ? <input {...attributes} /> : <textarea {...attributes} />}
          {suggest && (
            <datalist id={`${described.id}-list`}>
              {suggest.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )
    }}
  </Labelled>
)

/** A value with its label, or a group of them. */
export type Choice = [value: string, label: ComponentChildren] | [group: string, choices: Choice[]]
const isGroup = (choice: Choice): choice is [string, Choice[]] =>
  Array.isArray(choice[1]) && choice[1].every((part) => Array.isArray(part))

const Choices = ({ choices }: { choices: Choice[] }) =>
  choices.map((choice) =>
    isGroup(choice) ? (
      <optgroup key={choice[0]} label={choice[0]}>
        <Choices choices={choice[1]} />
      </optgroup>
    ) : (
      <option key={choice[0]} value={choice[0]}>
        {choice[1]}
      </option>
    ),
  )

type ChoiceProps = Common & { value: string; change(value: string): void; options: Choice[]; name?: string }

/** A select; a value that is none of the options is one more of them. */
export const ChoiceField = ({ label, hint, error, value, change, options, name }: ChoiceProps) => {
  const isKnown = options.some((option) =>
    isGroup(option) ? option[1].some(([inner]) => inner === value) : option[0] === value,
  )
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(described) => (
        <select {...described} name={name} value={value} onChange={(event) => change(event.currentTarget.value)}>
          <Choices choices={isKnown ? options : [[value, value], ...options]} />
        </select>
      )}
    </Labelled>
  )
}

type ChecksProps = {
  legend: string
  hint?: string
  chosen: string[]
  change(chosen: string[]): void
  options: { value: string; label: ComponentChildren; disabled?: boolean }[]
  /** Above the checkboxes: what finds them. */
  search?: ComponentChildren
  /** Below the checkboxes: what shows more of them. */
  more?: ComponentChildren
}

/** Checkboxes to choose several values of a list. */
export const Checks = ({ legend, hint, chosen, change, options, search, more }: ChecksProps) => (
  <fieldset class="checks">
    <legend>{legend}</legend>
    {hint && <p class="muted">{hint}</p>}
    {search}
    {options.map(({ value, label, disabled }) => (
      <label key={value}>
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          disabled={disabled}
          onChange={(event) =>
            change(
              event.currentTarget.checked ? [...chosen, value] : chosen.filter((chosenValue) => chosenValue !== value),
            )
          }
        />{' '}
        <span>{label}</span>
      </label>
    ))}
    {more}
  </fieldset>
)

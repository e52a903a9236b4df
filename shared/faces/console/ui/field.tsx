/** A labelled field with its hint and its error. */
import type { AllHTMLAttributes, ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../api/client.ts'
import { Select, TextArea, TextInput } from './input.tsx'
import type { Choice } from './input.tsx'

/** The server's message about one field, by the field's name. */
export const errorAt = (problem: Problem | undefined, name: string) =>
  problem?.errors?.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))?.message

type Common = {
  label: ComponentChildren
  hint?: ComponentChildren
  error?: string | undefined
  /** Its error is announced: for a form that shows no message of its own beside it. */
  announced?: true | undefined
}
type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': 'true' | undefined }

const Labelled = ({
  label,
  hint,
  error,
  announced,
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
        <p class="field-error" role={announced ? 'alert' : undefined} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

type TextProps = Common &
  Pick<
    AllHTMLAttributes<HTMLInputElement>,
    'name' | 'type' | 'required' | 'maxLength' | 'min' | 'step' | 'placeholder' | 'spellcheck'
  > & {
    value?: string
    change?(value: string): void
    /** Called with the text when the user has finished it, in place of `change` for every key. */
    finish?(value: string): void
    /** Values to suggest. */
    suggest?: string[] | undefined
    /** The number of lines of a text of several lines. */
    rows?: number
  }

export const TextField = ({ label, hint, error, announced, finish, suggest, rows, ...inputProps }: TextProps) => (
  <Labelled label={label} hint={hint} error={error} announced={announced}>
    {(described) => {
      const attributes = { ...inputProps, ...described }
      const list = `${described.id}-list`
      return rows === undefined ? (
        <>
          <TextInput
            {...attributes}
            list={suggest && list}
            onChange={(event) => finish?.(event.currentTarget.value.trim())}
          />
          {suggest && (
            <datalist id={list}>
              {suggest.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      ) : (
        <TextArea {...attributes} rows={rows} />
      )
    }}
  </Labelled>
)

type ChoiceProps = Common & { value: string; change(value: string): void; options: Choice[]; name?: string }

export const ChoiceField = ({ label, hint, error, ...selectProps }: ChoiceProps) => (
  <Labelled label={label} hint={hint} error={error}>
    {(described) => <Select {...selectProps} {...described} />}
  </Labelled>
)

type ChecksProps = {
  legend: string
  hint?: string | undefined
  error?: string | undefined
  chosen: string[]
  change(chosen: string[]): void
  options: { value: string; label: ComponentChildren; disabled?: boolean }[]
  /** Above the checkboxes: what finds them. */
  search?: ComponentChildren
  /** Below the checkboxes: what shows more of them. */
  more?: ComponentChildren
}

/** Checkboxes to choose several values of a list. */
export const Checks = ({ legend, hint, error, chosen, change, options, search, more }: ChecksProps) => {
  const id = useId()
  return (
    <fieldset class="checks" aria-describedby={error && id}>
      <legend>{legend}</legend>
      {hint && <p class="muted">{hint}</p>}
      {error && (
        <p class="field-error" id={id}>
          {error}
        </p>
      )}
      {search}
      {options.map(({ value, label, disabled }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={disabled}
            onChange={(event) =>
              change(
                event.currentTarget.checked
                  ? [...chosen, value]
                  : chosen.filter((chosenValue) => chosenValue !== value),
              )
            }
          />{' '}
          <span>{label}</span>
        </label>
      ))}
      {more}
    </fieldset>
  )
}

import { useId } from 'preact/hooks'
import { Button } from '../ui/index.ts'
import type { InputAttributes } from './control.ts'
import { useTyped } from './control.ts'
import { Unreadable } from './draft.ts'
import { readJson, showJson } from './json.ts'

type JsonEditorProps = {
  /** A JSON value; `undefined` for none; `Unreadable` while the text is not valid JSON. */
  value: unknown
  onChange(value: unknown): void
  /** For an editor without a visible label. */
  label?: string
  placeholder?: string | undefined
  required?: boolean
  rows?: number
  attributes?: Partial<InputAttributes>
}

/** Any JSON value as text, checked while the user types. */
export const JsonEditor = ({
  value,
  onChange,
  label,
  placeholder,
  required = false,
  rows = 6,
  attributes = {},
}: JsonEditorProps) => {
  const own = useId()
  const { text, type } = useTyped(value, showJson, readJson, onChange)
  const problem = value instanceof Unreadable ? value.reason : undefined
  const described = [attributes['aria-describedby'], problem === undefined ? undefined : own].filter(Boolean).join(' ')
  return (
    <div class="json-editor">
      <textarea
        {...attributes}
        rows={rows}
        required={required}
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        aria-describedby={described || undefined}
        aria-invalid={attributes['aria-invalid'] ?? (problem === undefined ? undefined : true)}
        placeholder={placeholder}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <span class="row">
        <Button
          kind="quiet"
          disabled={attributes.disabled || value === undefined || problem !== undefined}
          onClick={() => type(showJson(value))}
        >
          Format
        </Button>
        <span id={own} role="status" class="field-error">
          {problem === undefined ? '' : problem.charAt(0).toUpperCase() + problem.slice(1)}
        </span>
      </span>
    </div>
  )
}

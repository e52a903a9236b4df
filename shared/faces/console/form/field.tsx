/** One field: its label, control, description and errors. */
import type { ComponentType } from 'preact'
import { OutsideLink } from '../ui/index.ts'
import { ConnectionControl } from './connection.tsx'
import { idOf, useForm } from './context.ts'
import type { ControlProps, FieldProps } from './control.ts'
import { DateTimeControl } from './date-time.tsx'
import type { Control } from '../../../api/manifest.ts'
import type { LayoutField } from './draft.ts'
import { FileControl } from './file.tsx'
import { JsonEditor } from './json-editor.tsx'
import { ListControl, RowsControl } from './lists.tsx'
import { PickControl, PickManyControl } from './pick.tsx'
import type { FormError } from './problems.ts'
import {
  ChoiceControl,
  ChoicesControl,
  DurationControl,
  LongTextControl,
  NumberControl,
  SwitchControl,
  TextControl,
  showDefault,
} from './simple-controls.tsx'

const JsonControl = ({ field, value, set, attributes }: ControlProps) => (
  <JsonEditor
    value={value}
    onChange={set}
    placeholder={field.placeholder}
    required={field.required}
    attributes={attributes}
  />
)

type ControlRendering = {
  control: ComponentType<ControlProps>
  /** Several inputs: named by a legend instead of a label. */ isGroup?: true
}

const controls: Record<Control, ControlRendering> = {
  text: { control: TextControl },
  'long-text': { control: LongTextControl },
  secret: { control: TextControl },
  url: { control: TextControl },
  email: { control: TextControl },
  'date-time': { control: DateTimeControl, isGroup: true },
  number: { control: NumberControl },
  duration: { control: DurationControl, isGroup: true },
  switch: { control: SwitchControl, isGroup: true },
  choice: { control: ChoiceControl },
  choices: { control: ChoicesControl, isGroup: true },
  pick: { control: PickControl, isGroup: true },
  'pick-many': { control: PickManyControl, isGroup: true },
  list: { control: ListControl, isGroup: true },
  rows: { control: (props) => <RowsControl {...props} cell={Field} />, isGroup: true },
  json: { control: JsonControl },
  file: { control: FileControl, isGroup: true },
  connection: { control: ConnectionControl },
}
/** Undefined for a control that only a later version knows. */
const drawnAs = (control: string): ControlRendering | undefined =>
  Object.hasOwn(controls, control) ? controls[control as Control] : undefined

/** Errors of the field and of what is inside it, except those that a table shows at its cells. */
const errorsAt = (errors: FormError[], pointer: string, { row }: LayoutField) => {
  const hasCell = (remainingPointer: string) =>
    row?.fields.some(({ name }) => remainingPointer.split('/')[2] === name) ?? false
  return errors.filter(
    (error) =>
      error.pointer === pointer ||
      (error.pointer.startsWith(`${pointer}/`) && !hasCell(error.pointer.slice(pointer.length))),
  )
}

const bounds = ({ min, max }: LayoutField) =>
  min !== undefined && max !== undefined
    ? `${min} to ${max}.`
    : min !== undefined
      ? `At least ${min}.`
      : max !== undefined
        ? `At most ${max}.`
        : ''

/** The text below a field: its description, bounds and default; empty when it has none of these. */
const aboutOf = (field: LayoutField, isKnown: boolean) =>
  [
    field.description,
    field.control === 'number' ? bounds(field) : '',
    field.default === undefined ? '' : `Default: ${showDefault(field)}.`,
    isKnown ? '' : `This console does not support the control “${field.control}”. Enter the value as JSON.`,
  ]
    .filter((part) => part !== '')
    .join(' ')

export const Field = ({ field, pointer, value, set, off }: FieldProps) => {
  const { base, errors, disabled } = useForm()
  const id = idOf(base, pointer)
  const drawn = drawnAs(field.control)
  const { control: ControlOf, isGroup } = drawn ?? { control: JsonControl }
  const own = errorsAt(errors, pointer, field)
  const text = [off ?? '', aboutOf(field, drawn !== undefined)].filter((part) => part !== '').join(' ')
  const about = text === '' && field.helpUrl === undefined ? undefined : `${id}-about`
  const wrong = `${id}-error`
  const attributes: ControlProps['attributes'] = {
    id,
    disabled: disabled || off !== undefined,
    'aria-describedby': [own.length > 0 ? wrong : undefined, about].filter(Boolean).join(' ') || undefined,
    'aria-invalid': own.length > 0 ? true : undefined,
    'aria-errormessage': own.length > 0 ? wrong : undefined,
  }
  const name = (
    <>
      {field.title}
      {field.required && (
        <span class="must" aria-hidden={!isGroup}>
          {' '}
          *{isGroup && <span class="hidden"> required</span>}
        </span>
      )}
    </>
  )
  const content = (
    <>
      <ControlOf key={field.control} field={field} pointer={pointer} value={value} set={set} attributes={attributes} />
      {own.length > 0 && (
        <p class="field-error" id={wrong}>
          {own.map(({ message }) => message).join(' ')}
        </p>
      )}
      {about !== undefined && (
        <p class="field-about" id={about}>
          {text} {field.helpUrl !== undefined && <OutsideLink href={field.helpUrl}>Help for {field.title}</OutsideLink>}
        </p>
      )}
    </>
  )
  return isGroup ? (
    <fieldset class="field" aria-describedby={about}>
      <legend>{name}</legend>
      {content}
    </fieldset>
  ) : (
    <div class="field">
      <label for={id}>{name}</label>
      {content}
    </div>
  )
}

/** Fields with several values, and tables of them. */
import type { ComponentType } from 'preact'
import { useRef } from 'preact/hooks'
import { Button, TextInput } from '../ui/index.ts'
import type { ControlProps, FieldProps } from './control.ts'
import { isEmpty, rowLayout, visibleFields } from './draft.ts'
import type { Values } from './draft.ts'
import { pointerTo } from './problems.ts'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A list keyed by index. After a change, the focus moves to where the user expects it. */
const useItems = (items: unknown[], set: (value: unknown) => void) => {
  const container = useRef<HTMLDivElement>(null)
  const focusOn = (index: number) =>
    setTimeout(() => {
      const all = container.current?.querySelectorAll<HTMLElement>('[data-item]') ?? []
      const item = all[Math.min(index, all.length - 1)]
      ;(
        item?.querySelector<HTMLElement>('input, select, textarea') ??
        container.current?.querySelector<HTMLElement>('[data-add]')
      )?.focus()
    })
  return {
    container,
    add(item: unknown) {
      set([...items, item])
      focusOn(items.length)
    },
    remove(index: number) {
      set(items.filter((_, at) => at !== index))
      focusOn(index)
    },
    move(index: number, to: number) {
      set(items.toSpliced(index, 1).toSpliced(to, 0, items[index]))
      focusOn(to)
    },
  }
}

export const ListControl = ({ field, value, set, attributes }: ControlProps) => {
  const { id, ...otherAttributes } = attributes
  const items = listOf(value).length > 0 ? listOf(value) : ['']
  const { container, add, remove, move } = useItems(items, set)
  return (
    <div ref={container}>
      {items.map((item, index) => (
        <div class="list-item" data-item key={index}>
          <TextInput
            {...otherAttributes}
            id={index === 0 ? id : undefined}
            aria-label={`${field.title} ${index + 1}`}
            required={field.required && index === 0}
            placeholder={field.placeholder}
            value={String(item)}
            change={(text) => set(items.with(index, text))}
          />
          {[
            { sign: '↑', name: `Move ${index + 1} up`, isOff: index === 0, act: () => move(index, index - 1) },
            {
              sign: '↓',
              name: `Move ${index + 1} down`,
              isOff: index === items.length - 1,
              act: () => move(index, index + 1),
            },
            { sign: '✕', name: `Remove ${index + 1}`, isOff: items.every(isEmpty), act: () => remove(index) },
          ].map(({ sign, name, isOff, act }) => (
            <Button
              key={sign}
              kind="quiet"
              aria-label={name}
              disabled={otherAttributes.disabled || isOff}
              onClick={act}
            >
              {sign}
            </Button>
          ))}
        </div>
      ))}
      <Button data-add disabled={otherAttributes.disabled} onClick={() => add('')}>
        Add another
      </Button>
    </div>
  )
}

const withValue = (row: Values, name: string, value: unknown): Values => {
  const { [name]: _, ...otherValues } = row
  return isEmpty(value) ? otherValues : { ...otherValues, [name]: value }
}

/** One row of inputs per object, with the titles above; on narrow screens, one group of labelled fields per object. */
export const RowsControl = ({
  field,
  pointer,
  value,
  set,
  attributes,
  cell: Cell,
}: ControlProps & { cell: ComponentType<FieldProps> }) => {
  const rows = listOf(value) as Values[]
  const shown = rows.length > 0 ? rows : [{}]
  const { container, add, remove } = useItems(shown, set)
  const layout = rowLayout(field)
  const columns = layout.fields
  return (
    <div ref={container} class="rows">
      <div class="rows-scroll">
        <div class="rows-grid" style={{ '--columns': columns.length }}>
          <div class="rows-titles" aria-hidden="true">
            {columns.map(({ name, title, required }) => (
              <span key={name}>
                {title}
                {required && ' *'}
              </span>
            ))}
          </div>
          {shown.map((row, index) => (
            <fieldset data-item key={index} disabled={attributes.disabled}>
              <legend>
                {field.title} {index + 1}
              </legend>
              {columns.map((column) =>
                visibleFields(layout, { values: row, set: 0 }).includes(column) ? (
                  <Cell
                    key={column.name}
                    field={column}
                    pointer={`${pointer}/${index}${pointerTo(column.name)}`}
                    value={row[column.name]}
                    set={(changed) => set(shown.with(index, withValue(row, column.name, changed)))}
                  />
                ) : (
                  // Keeps the empty cell's place in the table.
                  <span key={column.name} />
                ),
              )}
              <Button kind="quiet" aria-label={`Remove ${field.title} ${index + 1}`} onClick={() => remove(index)}>
                ✕
              </Button>
            </fieldset>
          ))}
        </div>
      </div>
      <Button data-add disabled={attributes.disabled} onClick={() => add({})}>
        Add a row
      </Button>
    </div>
  )
}

/** Fields with several values, and tables of them. */
import type { ComponentType } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, plural, TextArea, TextInput } from '../ui/index.ts'
import type { ControlProps, FieldProps } from './control.ts'
import { isEmpty, rowLayout, visibleFields } from './draft.ts'
import type { Values } from './draft.ts'
import { fillRows, readRows } from './paste.ts'
import { pointerTo } from './problems.ts'

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A list keyed by index. After a change, the focus moves to where the user expects it. */
const useItems = (items: unknown[], set: (value: unknown) => void) => {
  const container = useRef<HTMLDivElement>(null)
  const next = useRef<number>(undefined)
  // Before the next key is pressed, so that the item gets every letter.
  useLayoutEffect(() => {
    if (next.current === undefined) return
    const all = container.current?.querySelectorAll<HTMLElement>('[data-item]') ?? []
    const item = all[Math.min(next.current, all.length - 1)]
    next.current = undefined
    ;(
      item?.querySelector<HTMLElement>('input, select, textarea') ??
      container.current?.querySelector<HTMLElement>('[data-add]')
    )?.focus()
  })
  return {
    container,
    add(item: unknown) {
      next.current = items.length
      set([...items, item])
    },
    remove(index: number) {
      next.current = index
      set(items.filter((_, at) => at !== index))
    },
    move(index: number, to: number) {
      next.current = to
      set(items.toSpliced(index, 1).toSpliced(to, 0, items[index]))
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

/** Fills a table by a text: for keyboards, phones, and files that are open elsewhere. */
const PasteBox = ({ title, isOff, fill }: { title: string; isOff: boolean; fill(text: string): void }) => {
  const [text, setText] = useState('')
  return (
    <details class="paste-rows">
      <summary>Paste from a spreadsheet</summary>
      <TextArea
        rows={4}
        aria-label={`Rows to paste into ${title}`}
        spellcheck={false}
        disabled={isOff}
        value={text}
        change={setText}
      />
      <p class="field-about">
        Rows as a spreadsheet copies them, or CSV. A first line with the titles of the columns says which is which;
        without it, they are in the order of the table.
      </p>
      <Button
        disabled={isOff || text.trim() === ''}
        onClick={() => {
          fill(text)
          setText('')
        }}
      >
        Fill the table
      </Button>
    </details>
  )
}

/** The place of an input in the table: which row, and which column. */
const placeOf = (container: HTMLElement | null, target: EventTarget | null) => {
  if (!container || !(target instanceof Element)) return undefined
  const items = [...container.querySelectorAll('[data-item]')]
  const row = items.findIndex((item) => item.contains(target))
  const cell = target.closest('[data-column]')
  return row < 0 || !(cell instanceof HTMLElement) ? undefined : { row, column: Number(cell.dataset['column']) }
}

type RowsProps = ControlProps & { cell: ComponentType<FieldProps> }

/** One row of inputs per object, with the titles above; on narrow screens, one group of labelled fields per object. */
export const RowsControl = ({ field, pointer, value, set, attributes, cell: Cell }: RowsProps) => {
  const rows = listOf(value) as Values[]
  const shown = rows.length > 0 ? rows : [{}]
  const { container, add, remove } = useItems(shown, set)
  const [said, setSaid] = useState('')
  const layout = rowLayout(field)
  const columns = layout.fields
  const fill = (text: string, row: number, column: number) => {
    const pasted = readRows(columns, text, column)
    set(fillRows(shown, pasted, row))
    setSaid(`${plural(pasted.length, 'row')} filled in.`)
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const place = placeOf(container.current, event.target)
    // One cell is pasted as text.
    if (!place || !/[\t\n]/.test(text.trim())) return
    event.preventDefault()
    fill(text, place.row, place.column)
  }
  const lastFilled = shown.findLastIndex((row) => Object.keys(row).length > 0)
  return (
    <div ref={container} class="rows" onPaste={onPaste}>
      {field.row?.oneOf && field.row.oneOf.sets.length > 1 && (
        <p class="field-about">Enough for a row: {field.row.oneOf.sets.map(({ title }) => title).join(', or ')}.</p>
      )}
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
              {columns.map((column, at) => (
                <div key={column.name} class="rows-cell" data-column={at}>
                  {visibleFields(layout, { values: row }).includes(column) && (
                    <Cell
                      field={column}
                      pointer={`${pointer}/${index}${pointerTo(column.name)}`}
                      value={row[column.name]}
                      set={(changed) => set(shown.with(index, withValue(row, column.name, changed)))}
                    />
                  )}
                </div>
              ))}
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
      <PasteBox title={field.title} isOff={attributes.disabled} fill={(text) => fill(text, lastFilled + 1, 0)} />
      <p role="status">{said}</p>
    </div>
  )
}

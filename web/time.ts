/* Times and counts as they are written: clock times in the record, durations where something lasts. Pure but for the
   ticking hook; the language decides the words, never the order of events. */
import { useEffect, useState } from 'react'
import type { Language } from './i18n/i18n.ts'
import { defineTexts } from './i18n/i18n.ts'

/** Day before month and 24 hours in both languages. */
const localeByLanguage = { en: 'en-GB', zh: 'zh-CN' } as const satisfies Record<Language, string>

const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(localeByLanguage[language], options)
  formats.set(key, known)
  return known
}

const { text: timeText } = defineTexts('time', {
  en: { now: 'now', minutes: '{{count}} min', hours: '{{count}} h' },
  zh: { now: '刚刚', minutes: '{{count}} 分钟', hours: '{{count}} 小时' },
})

/** `14:05`; with `seconds`, `14:05:07`. */
export function clockTime(at: number, language: Language, seconds = false): string {
  return format(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(seconds ? { second: '2-digit' } : {}),
  }).format(at)
}

/** `14:05` of the same day as `now`, else `21 Nov 14:05`. */
export function moment(at: number, now: number, language: Language): string {
  const time = clockTime(at, language)
  return isSameDay(at, now) ? time : `${format(language, { day: 'numeric', month: 'short' }).format(at)} ${time}`
}

/** `980`, `12.4k`; in Chinese by ten thousands. */
export function shortCount(count: number, language: Language): string {
  const options = { notation: 'compact', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(localeByLanguage[language], options).format(count).toLowerCase()
}

/** `12 ms`, `4.1 s`, then `0:41` and `1:02:03`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  return stopwatch(ms)
}

/** `320 ms`, `31 s`, then `1:52`: how long something took that is over. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.floor(ms))} ms`
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : stopwatch(ms)
}

/** `0:07`, `12:30`, `1:02:03`: what is still running. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const rest = two(seconds % 60)
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`
}

export function isSameDay(left: number, right: number): boolean {
  return new Date(left).toDateString() === new Date(right).toDateString()
}

/** How long ago, as short as the session list has room for: `now`, `2 min`, `3 h`, `Tue`, `21 Nov`. */
export function ago(at: number, now: number, language: Language): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return timeText('now')
  if (minutes < 60) return timeText('minutes', { count: minutes })
  if (isSameDay(at, now)) return timeText('hours', { count: Math.floor(minutes / 60) })
  if (now - at < 6 * 86_400_000) return format(language, { weekday: 'short' }).format(at)
  return format(language, { day: 'numeric', month: 'short' }).format(at)
}

/** The time, renewed every `everyMs` while `ticking`; without it no timer runs. */
export function useNow(now: () => number, everyMs: number, ticking: boolean): number {
  const [time, setTime] = useState(now)
  useEffect(() => {
    if (!ticking) return
    setTime(now())
    const timer = setInterval(() => setTime(now()), everyMs)
    return () => clearInterval(timer)
  }, [now, everyMs, ticking])
  return time
}

/* Whose messages the inspector's page takes: those of the page of this very host that opened it. The receiver of the
   library takes them from whoever has a handle on the window, and so would draw what another site makes up. */

export function isFromOpener(own: Window, { source, origin }: MessageEvent): boolean {
  return source !== null && source === own.opener && origin === own.location.origin
}

/** The window for the receiver: it hears nobody else. */
export function openerOnly(own: Window): Window {
  const addEventListener = (type: 'message', listener: (event: MessageEvent) => void) =>
    own.addEventListener(type, (event) => {
      if (isFromOpener(own, event)) listener(event)
    })
  return new Proxy(own, {
    get: (target, key) => (key === 'addEventListener' ? addEventListener : Reflect.get(target, key, target)),
  })
}

/**
 * Members that exist without a module: of `process`, of globals, and of objects and classes whose
 * members have different classes.
 */
import type { ApiTable } from './api-class.ts'

export const apiOfObjects: ApiTable = {
  process: {
    asIs: `_events _eventsCount _exiting _fatalException _maxListeners _preload_modules _tickCallback
      allowedNodeEnvironmentFlags assert config constructor domain emitWarning features getBuiltinModule
      hasUncaughtExceptionCaptureCallback ref release sourceMapsEnabled unref version versions`,
    simulated: `addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener
      prependOnceListener rawListeners removeAllListeners removeListener setMaxListeners _channel _disconnect _handleQueue _pendingMessage _send abort arch argv argv0 availableMemory binding channel
      connected constrainedMemory cpuUsage cwd debugPort disconnect env execArgv execPath exit exitCode getegid geteuid
      getgid getgroups getuid hrtime kill mainModule memoryUsage nextTick pid platform ppid report resourceUsage send stderr stdin
      stdout threadCpuUsage title umask uptime`,
    refused: `_debugEnd _debugProcess _getActiveHandles _getActiveRequests _kill _linkedBinding _rawDebug
      _startProfilerIdleNotifier _stopProfilerIdleNotifier chdir execve finalization getActiveResourcesInfo
      initgroups loadEnvFile moduleLoadList openStdin permission reallyExit setSourceMapsEnabled
      setUncaughtExceptionCaptureCallback setegid seteuid setgid setgroups setuid`,
    unrepeatable: 'dlopen',
  },
  globalThis: {
    asIs: `AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array
      BigUint64Array Boolean Buffer ByteLengthQueuingStrategy CloseEvent CountQueuingStrategy Crypto CryptoKey CustomEvent
      DOMException DataView DisposableStack Error EvalError Event EventTarget File Float16Array Float32Array Float64Array
      FormData Function Headers Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math MessageEvent
      MessagePort NaN Navigator Number Object Performance PerformanceEntry PerformanceMark PerformanceMeasure
      PerformanceObserverEntryList PerformanceResourceTiming Promise Proxy QuotaExceededError RangeError
      ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
      ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp Request Response Set
      SharedArrayBuffer String SubtleCrypto SuppressedError Symbol SyntaxError TextDecoder TextDecoderStream TextEncoder
      TextEncoderStream TransformStream TransformStreamDefaultController TypeError URIError URL URLPattern URLSearchParams
      Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet WebAssembly WritableStream
      WritableStreamDefaultController WritableStreamDefaultWriter atob btoa console crypto decodeURI decodeURIComponent
      encodeURI encodeURIComponent escape eval global globalThis isFinite isNaN navigator parseFloat parseInt performance
      process structuredClone undefined unescape`,
    simulated: `Blob CompressionStream Date DecompressionStream WeakRef clearImmediate clearInterval clearTimeout
      queueMicrotask setImmediate setInterval setTimeout`,
    refused: `BroadcastChannel EventSource MessageChannel PerformanceObserver Storage WebSocket fetch localStorage
      sessionStorage`,
    unrepeatable: 'FinalizationRegistry gc',
  },
  Atomics: {
    asIs: 'add and compareExchange exchange isLockFree load or pause store sub xor',
    simulated: 'notify wait waitAsync',
  },
  Date: { asIs: 'UTC length name prototype', simulated: 'now parse' },
  Intl: {
    asIs: 'Locale getCanonicalLocales supportedValuesOf',
    simulated: `Collator DateTimeFormat DisplayNames DurationFormat ListFormat NumberFormat PluralRules RelativeTimeFormat
      Segmenter`,
  },
  Math: {
    asIs: `E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp
      expm1 f16round floor fround hypot imul log log10 log1p log2 max min pow round sign sin sinh sqrt sumPrecise tan tanh
      trunc`,
    simulated: 'random',
  },
  WebAssembly: {
    asIs: `CompileError Exception Global Instance JSTag LinkError Memory Module RuntimeError SuspendError Table Tag
      validate`,
    simulated: 'compile instantiate',
    refused: 'Suspending compileStreaming instantiateStreaming promising',
  },
  'Performance.prototype': {
    asIs: 'constructor onresourcetimingbufferfull',
    simulated: 'eventLoopUtilization now timeOrigin',
    refused: `clearMarks clearMeasures clearResourceTimings getEntries getEntriesByName getEntriesByType mark
      markResourceTiming measure nodeTiming setResourceTimingBufferSize timerify toJSON`,
  },
  'Navigator.prototype': {
    asIs: 'constructor userAgent',
    simulated: 'hardwareConcurrency language languages platform',
    refused: 'locks',
  },
  'SubtleCrypto.prototype': {
    asIs: 'constructor supports',
    simulated: `decrypt deriveBits deriveKey digest encrypt exportKey importKey sign unwrapKey verify wrapKey`,
    refused: 'decapsulateBits decapsulateKey encapsulateBits encapsulateKey getPublicKey',
    unrepeatable: 'generateKey',
  },
  'Blob.prototype': {
    asIs: 'constructor size slice type',
    simulated: 'arrayBuffer bytes text',
    refused: 'stream textStream',
  },
  'Event.prototype': {
    asIs: `BUBBLING_PHASE AT_TARGET CAPTURING_PHASE NONE bubbles cancelBubble cancelable composed composedPath constructor
      currentTarget defaultPrevented eventPhase initEvent isTrusted preventDefault returnValue srcElement
      stopImmediatePropagation stopPropagation target type`,
    refused: 'timeStamp',
  },
  'WeakRef.prototype': { asIs: 'constructor deref' },
  'dns.Resolver.prototype': {
    asIs: 'cancel constructor setLocalAddress setServers',
    simulated: 'getServers resolve resolve4 resolve6',
    refused: resolvingElsewhere(),
  },
  'dns.promises.Resolver.prototype': {
    asIs: 'cancel constructor setLocalAddress setServers',
    simulated: 'getServers resolve resolve4 resolve6',
    refused: resolvingElsewhere(),
  },
  'net.Server.prototype': {
    asIs: `_emitCloseIfDrained _setupWorker address close constructor connections getConnections listen
      listening ref unref dropMaxConnection maxConnections`,
    simulated: '_listen2',
  },
  'tls.Server.prototype': {
    asIs: '_getServerData _setServerData addContext constructor setOptions setSecureContext setTicketKeys',
    unrepeatable: 'getTicketKeys',
  },
  'child_process.ChildProcess.prototype': {
    asIs: 'constructor kill ref unref',
    refused: 'spawn',
  },
  'async_hooks.AsyncResource.prototype': {
    asIs: 'bind constructor emitDestroy runInAsyncScope',
    refused: 'asyncId triggerAsyncId',
  },
  'diagnostics_channel.Channel.prototype': {
    asIs: 'constructor hasSubscribers publish runStores unbindStore unsubscribe withStoreScope',
    refused: 'bindStore subscribe',
  },
  'vm.Script.prototype': {
    asIs: 'cachedDataRejected constructor createCachedData runInThisContext sourceMapURL',
    refused: 'runInContext runInNewContext',
  },
  'crypto.DiffieHellmanGroup.prototype': {
    asIs: 'computeSecret constructor dhGetPublicKey getGenerator getPrime getPrivateKey getPublicKey verifyError',
    unrepeatable: 'generateKeys',
  },
}

function resolvingElsewhere(): string {
  return `resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTlsa
    resolveTxt reverse`
}

/**
 * Every exported member of Node's modules, in Node 20, 22 and 24. A function that is in no list is
 * refused, so that no function of a newer Node reaches the real machine; a test reports such
 * functions.
 */
import type { ApiTable } from './api-class.ts'

const assert = {
  asIs: `Assert AssertionError CallTracker deepEqual deepStrictEqual doesNotMatch doesNotReject doesNotThrow equal fail
    ifError match notDeepEqual notDeepStrictEqual notEqual notStrictEqual ok partialDeepStrictEqual rejects strict
    strictEqual throws`,
}
const path = {
  asIs: `_makeLong basename delimiter dirname extname format isAbsolute join matchesGlob normalize parse posix relative
    resolve sep toNamespacedPath win32`,
}
const resolving = `resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv
  resolveTlsa resolveTxt reverse lookupService`
const dns = {
  simulated: 'lookup resolve resolve4 resolve6 Resolver getServers getDefaultResultOrder setDefaultResultOrder',
  refused: `setServers ${resolving}`,
}
const util = {
  asIs: `MIMEParams MIMEType TextDecoder TextEncoder _errnoException _exceptionWithHostPort _extend aborted callbackify
    convertProcessSignalToExitCode debug debuglog deprecate diff format formatWithOptions getCallSite getCallSites
    getSystemErrorMap getSystemErrorMessage getSystemErrorName inherits inspect isArray isBoolean isBuffer isDate
    isDeepStrictEqual isError isFunction isNull isNullOrUndefined isNumber isObject isPrimitive isRegExp isString isSymbol
    isUndefined parseArgs parseEnv promisify stripVTControlCharacters styleText toUSVString transferableAbortController
    transferableAbortSignal types`,
  refused: 'log setTraceSigInt',
}
const inspector = {
  refused: `DOMStorage DOMStorageResources Network NetworkResources Session close console open url waitForDebugger`,
}
const streams = 'from fromWeb toWeb'

export const apiOfModules: ApiTable = {
  _http_agent: { simulated: 'Agent globalAgent' },
  _http_client: { simulated: 'ClientRequest' },
  _http_common: {
    asIs: `CRLF HTTPParser _checkInvalidHeaderChar _checkIsHttpToken calculateLenientFlags chunkExpression
      continueExpression freeParser isLenient kIncomingMessage kSkipPendingData methods parsers prepareError`,
  },
  _http_incoming: { asIs: 'IncomingMessage kDetachAbortSignal readStart readStop' },
  _http_outgoing: {
    asIs: 'OutgoingMessage kHighWaterMark kUniqueHeaders parseUniqueHeadersOption validateHeaderName validateHeaderValue',
  },
  _http_server: {
    asIs: 'STATUS_CODES Server ServerResponse kConnectionsCheckingInterval kServerResponse storeHTTPOptions',
    refused: '_connectionListener httpServerPreClose setupConnectionsTracking',
  },
  _stream_duplex: { asIs: streams },
  _stream_passthrough: {},
  _stream_readable: { asIs: `ReadableState _fromList wrap ${streams}` },
  _stream_transform: {},
  _stream_wrap: { refused: 'StreamWrap' },
  _stream_writable: { asIs: `WritableState ${streams}` },
  _tls_common: { asIs: 'SecureContext createSecureContext translatePeerCertificate' },
  _tls_wrap: { asIs: 'Server createServer', refused: 'TLSSocket connect' },
  assert,
  'assert/strict': assert,
  async_hooks: {
    asIs: 'AsyncLocalStorage AsyncResource asyncWrapProviders executionAsyncResource',
    refused: 'createHook executionAsyncId triggerAsyncId',
  },
  buffer: {
    asIs: `Buffer File INSPECT_MAX_BYTES SlowBuffer atob btoa constants isAscii isUtf8 kMaxLength kStringMaxLength
      resolveObjectURL transcode`,
    simulated: 'Blob',
  },
  child_process: { refused: 'ChildProcess _forkChild exec execFile execFileSync execSync fork spawn spawnSync' },
  cluster: {
    asIs: '_events _eventsCount _maxListeners isMaster isPrimary isWorker schedulingPolicy settings workers',
    refused: 'Worker disconnect fork setupMaster setupPrimary',
  },
  console: {
    asIs: 'Console _ignoreErrors _stderr _stderrErrorHandler _stdout _stdoutErrorHandler _times context createTask',
    simulated: `assert clear count countReset debug dir dirxml error group groupCollapsed groupEnd info log table time
      timeEnd timeLog trace warn`,
    refused: 'profile profileEnd timeStamp',
  },
  constants: { asIs: 'defaultCipherList defaultCoreCipherList' },
  crypto: {
    asIs: `Certificate Cipher Cipheriv Decipher Decipheriv Hash Hmac KeyObject Verify X509Certificate argon2Sync
      checkPrimeSync constants createCipher createCipheriv createDecipher createDecipheriv createDiffieHellmanGroup
      getDiffieHellman DiffieHellmanGroup createHash createHmac createPrivateKey createPublicKey createSecretKey
      createVerify decapsulate diffieHellman fips getCipherInfo getCiphers getCurves getFips getHashes hash hkdfSync
      pbkdf2Sync privateDecrypt privateEncrypt publicDecrypt scryptSync subtle timingSafeEqual verify webcrypto`,
    simulated: `getRandomValues hkdf pbkdf2 prng pseudoRandomBytes randomBytes randomFill randomFillSync randomInt
      randomUUID rng scrypt`,
    refused:
      'argon2 checkPrime generateKey generateKeyPair generatePrime randomUUIDv7 secureHeapUsed setEngine setFips',
    unrepeatable: `DiffieHellman ECDH Sign createDiffieHellman createECDH createSign encapsulate generateKeyPairSync
      generateKeySync generatePrimeSync publicEncrypt sign`,
  },
  dgram: { refused: 'Socket _createSocketHandle createSocket' },
  diagnostics_channel: {
    asIs: 'BoundedChannel Channel boundedChannel channel hasSubscribers tracingChannel unsubscribe',
    refused: 'subscribe',
  },
  dns: { ...dns, asIs: 'promises' },
  'dns/promises': dns,
  domain: { asIs: '_stack active', refused: 'Domain create createDomain' },
  events: {
    asIs: `EventEmitter EventEmitterAsyncResource addAbortListener captureRejectionSymbol captureRejections
      defaultMaxListeners errorMonitor getEventListeners getMaxListeners init kMaxEventTargetListeners
      kMaxEventTargetListenersWarned listenerCount on once setMaxListeners usingDomains`,
  },
  fs: {
    asIs: 'Dirent F_OK R_OK Stats W_OK X_OK _toUnixTimestamp constants promises',
    simulated: `access accessSync exists existsSync lstat lstatSync readFile readFileSync readdir readdirSync realpath
      realpathSync stat statSync write writeSync`,
    refused: `Dir FileReadStream FileWriteStream ReadStream Utf8Stream WriteStream appendFile appendFileSync chmod chmodSync
      chown chownSync close closeSync copyFile copyFileSync cp cpSync createReadStream createWriteStream fchmod fchmodSync
      fchown fchownSync fdatasync fdatasyncSync fstat fstatSync fsync fsyncSync ftruncate ftruncateSync futimes futimesSync
      glob globSync lchmod lchmodSync lchown lchownSync link linkSync lutimes lutimesSync mkdir mkdirSync mkdtemp
      mkdtempDisposableSync mkdtempSync open openAsBlob openSync opendir opendirSync read readSync readlink readlinkSync
      readv readvSync rename renameSync rm rmSync rmdir rmdirSync statfs statfsSync symlink symlinkSync truncate
      truncateSync unlink unlinkSync unwatchFile utimes utimesSync watch watchFile writeFile writeFileSync writev
      writevSync`,
  },
  'fs/promises': {
    asIs: 'constants',
    simulated: 'access lstat readFile readdir realpath stat',
    refused: `appendFile chmod chown copyFile cp glob lchmod lchown link lutimes mkdir mkdtemp mkdtempDisposable open opendir
      readlink rename rm rmdir statfs symlink truncate unlink utimes watch writeFile`,
  },
  http: {
    asIs: `CloseEvent IncomingMessage METHODS MessageEvent OutgoingMessage STATUS_CODES Server ServerResponse createServer
      maxHeaderSize validateHeaderName validateHeaderValue`,
    simulated: 'Agent ClientRequest get globalAgent request',
    refused: 'WebSocket _connectionListener setGlobalProxyFromEnv setMaxIdleHTTPParsers',
  },
  http2: {
    asIs: 'constants getDefaultSettings getPackedSettings getUnpackedSettings sensitiveHeaders',
    refused: 'Http2ServerRequest Http2ServerResponse connect createSecureServer createServer performServerHandshake',
  },
  https: { asIs: 'Server createServer', simulated: 'Agent get globalAgent request' },
  inspector,
  'inspector/promises': inspector,
  module: {
    asIs: `Module SourceMap _cache _debug _extensions _findPath _initPaths _load _nodeModulePaths _pathCache _preloadModules
      _readPackage _resolveFilename _resolveLookupPaths _stat builtinModules constants createRequire findPackageJSON
      findSourceMap getCompileCacheDir getSourceMapsSupport globalPaths isBuiltin stripTypeScriptTypes
      syncBuiltinESMExports wrap wrapper`,
    refused: 'enableCompileCache flushCompileCache register registerHooks runMain setSourceMapsSupport',
  },
  net: {
    asIs: `BlockList Server SocketAddress _normalizeArgs createServer getDefaultAutoSelectFamily
      getDefaultAutoSelectFamilyAttemptTimeout isIP isIPv4 isIPv6`,
    simulated: `Socket Stream connect createConnection setDefaultAutoSelectFamily
      setDefaultAutoSelectFamilyAttemptTimeout`,
    refused: 'BoundSocket _createServerHandle _setSimultaneousAccepts',
  },
  os: {
    asIs: 'constants devNull endianness',
    simulated: `arch availableParallelism cpus freemem getPriority homedir hostname loadavg machine networkInterfaces
      platform release tmpdir totalmem type uptime userInfo version`,
    refused: 'setPriority',
  },
  path,
  'path/posix': path,
  'path/win32': path,
  perf_hooks: {
    asIs: `Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserverEntryList
      PerformanceResourceTiming constants createHistogram performance`,
    simulated: 'eventLoopUtilization',
    refused: 'PerformanceObserver monitorEventLoopDelay timerify',
  },
  punycode: { asIs: 'decode encode toASCII toUnicode ucs2 version' },
  querystring: { asIs: 'decode encode escape parse stringify unescape unescapeBuffer' },
  readline: {
    asIs: 'Interface clearLine clearScreenDown createInterface cursorTo emitKeypressEvents moveCursor promises',
  },
  'readline/promises': { asIs: 'Interface Readline createInterface' },
  repl: {
    asIs: 'REPL_MODE_SLOPPY REPL_MODE_STRICT Recoverable _builtinLibs builtinModules isValidSyntax writer',
    refused: 'REPLServer start',
  },
  sea: { asIs: 'isSea', refused: 'getAsset getAssetAsBlob getAssetKeys getRawAsset' },
  sqlite: { asIs: 'constants', refused: 'DatabaseSync Session StatementSync backup' },
  stream: {
    asIs: `Duplex PassThrough Readable Stream Transform Writable _isArrayBufferView _isUint8Array _uint8ArrayToBuffer
      addAbortSignal compose destroy duplexPair finished getDefaultHighWaterMark isDestroyed isDisturbed isErrored
      isReadable isWritable pipeline promises setDefaultHighWaterMark`,
  },
  'stream/consumers': { asIs: 'arrayBuffer blob buffer bytes json text' },
  'stream/promises': { asIs: 'finished pipeline' },
  'stream/web': {
    asIs: `ByteLengthQueuingStrategy CountQueuingStrategy ReadableByteStreamController ReadableStream
      ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader
      ReadableStreamTee TextDecoderStream TextEncoderStream TransformStream TransformStreamDefaultController WritableStream
      WritableStreamDefaultController WritableStreamDefaultWriter`,
    simulated: 'CompressionStream DecompressionStream',
  },
  string_decoder: { asIs: 'StringDecoder' },
  sys: util,
  test: {
    refused: `after afterEach assert before beforeEach describe expectFailure getTestContext it mock only run skip snapshot
      suite test todo`,
  },
  'test/reporters': { refused: 'dot junit lcov spec tap' },
  timers: {
    asIs: 'promises',
    simulated: 'clearImmediate clearInterval clearTimeout setImmediate setInterval setTimeout',
    refused: '_unrefActive active enroll unenroll',
  },
  'timers/promises': { simulated: 'scheduler setImmediate setInterval setTimeout' },
  tls: {
    asIs: `SecureContext Server checkServerIdentity convertALPNProtocols createSecureContext createServer getCertificateCompressionAlgorithms
      getCiphers rootCertificates`,
    simulated: 'connect',
    refused: 'TLSSocket createSecurePair getCACertificates setDefaultCACertificates',
  },
  trace_events: { refused: 'createTracing getEnabledCategories' },
  tty: { simulated: 'isatty', refused: 'ReadStream WriteStream' },
  url: {
    asIs: `URL URLPattern URLSearchParams Url domainToASCII domainToUnicode fileURLToPath fileURLToPathBuffer format parse
      pathToFileURL resolve resolveObject urlToHttpOptions`,
  },
  util,
  'util/types': {
    asIs: `isAnyArrayBuffer isArgumentsObject isArrayBuffer isArrayBufferView isAsyncFunction isBigInt64Array isBigIntObject
      isBigUint64Array isBooleanObject isBoxedPrimitive isCryptoKey isDataView isDate isExternal isFloat16Array
      isFloat32Array isFloat64Array isGeneratorFunction isGeneratorObject isInt16Array isInt32Array isInt8Array isKeyObject
      isMap isMapIterator isModuleNamespaceObject isNativeError isNumberObject isPromise isProxy isRegExp isSet
      isSetIterator isSharedArrayBuffer isStringObject isSymbolObject isTypedArray isUint16Array isUint32Array isUint8Array
      isUint8ClampedArray isWeakMap isWeakSet`,
  },
  v8: {
    asIs: `DefaultDeserializer DefaultSerializer Deserializer Serializer cachedDataVersionTag deserialize
      isStringOneByteRepresentation serialize startupSnapshot`,
    refused: `GCProfiler getCppHeapStatistics getHeapCodeStatistics getHeapSnapshot getHeapSpaceStatistics getHeapStatistics
      promiseHooks queryObjects setFlagsFromString setHeapSnapshotNearHeapLimit startCpuProfile stopCoverage takeCoverage
      writeHeapSnapshot`,
  },
  vm: {
    asIs: 'Script compileFunction constants createScript isContext runInThisContext',
    refused: 'createContext measureMemory runInContext runInNewContext',
  },
  wasi: { refused: 'WASI' },
  worker_threads: {
    asIs: 'MessagePort SHARE_ENV isMarkedAsUntransferable markAsUncloneable markAsUntransferable receiveMessageOnPort',
    simulated: 'isInternalThread isMainThread parentPort resourceLimits threadId threadName workerData',
    refused: `BroadcastChannel MessageChannel Worker getEnvironmentData locks moveMessagePortToContext postMessageToThread
      setEnvironmentData`,
  },
  zlib: {
    asIs: `brotliCompressSync brotliDecompressSync codes constants crc32 deflateRawSync deflateSync gunzipSync gzipSync
      inflateRawSync inflateSync unzipSync zstdCompressSync zstdDecompressSync`,
    simulated: `BrotliCompress BrotliDecompress Deflate DeflateRaw Gunzip Gzip Inflate InflateRaw Unzip ZstdCompress
      ZstdDecompress brotliCompress brotliDecompress createBrotliCompress createBrotliDecompress createDeflate
      createDeflateRaw createGunzip createGzip createInflate createInflateRaw createUnzip createZstdCompress
      createZstdDecompress deflate deflateRaw gunzip gzip inflate inflateRaw unzip zstdCompress zstdDecompress`,
  },
}

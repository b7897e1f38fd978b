@echo off
rem metnos-gate of an installed app. The hook runs on the user's own Node (20 or newer) where there is one,
rem everything else in the app's own binary as a command without windows.
setlocal
set "METNOS_GATE_LAUNCHER=%~f0"
if not "%~1"=="hook" goto app
node -e "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)" >nul 2>nul || goto app
node "%~dp0..\app.asar.unpacked\bin\metnos-gate.js" %*
exit /b %errorlevel%
:app
"%~dp0..\..\Metnos Gate.exe" --cli -- %*
exit /b %errorlevel%
